"""goldrank."""
