"""sample_traces."""
