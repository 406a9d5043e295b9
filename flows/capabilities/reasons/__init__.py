"""Reasons: why an instance is where it is, what its jobs wait for and what its rules still need."""
