"""Reading a ticket: which request may it be about?"""
