"""The pages and the endpoints of repairs."""
