"""Queries of the database server and of what watches it: health, storage, invariants."""
