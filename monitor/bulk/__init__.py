"""The pages and the endpoints of bulk operations."""
