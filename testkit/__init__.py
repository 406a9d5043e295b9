"""Shared by tests, chaos and bench: processes, servers, a browser's side of pages, installations."""
