"""Bulk operations: what a person does to many instances at once."""
