"""collectors/dialects."""
