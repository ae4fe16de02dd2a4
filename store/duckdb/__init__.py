"""store/duckdb."""
