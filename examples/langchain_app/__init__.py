"""A LangChain app, recorded in one line."""
