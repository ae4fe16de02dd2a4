"""dashboard/app_pages."""
