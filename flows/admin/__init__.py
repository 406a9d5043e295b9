"""The pages of Django's admin: editable definitions, and read-only lists of what runs."""

from flows.admin import definition, observed

__all__ = ["definition", "observed"]
