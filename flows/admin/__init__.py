"""The pages of Django's admin: editable definitions, and read-only lists of what runs."""

from flows.admin import definition, records

__all__ = ["definition", "records"]
