"""Read-only queries for pages; every list is paginated by key.

The functions return dataclasses and do not depend on requests, users or templates.
"""
