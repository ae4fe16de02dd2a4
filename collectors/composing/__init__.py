"""Spans of other writers to stages: one pass of named steps over the spans of a request."""
