"""A LlamaIndex app, recorded in one line."""
