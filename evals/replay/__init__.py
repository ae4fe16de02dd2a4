"""Running recorded requests again: what is asked for, the worker process, and apps that run elsewhere."""
