"""Django's admin over flows: definitions to edit, what runs to look at."""

from flows.admin import definition, observed

__all__ = ["definition", "observed"]
