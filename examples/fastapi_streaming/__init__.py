"""A FastAPI app that streams its answers, recorded by decorators."""
