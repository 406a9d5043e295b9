"""Labels of definitions in the reader's language."""

from django.utils.translation import gettext


def said(label: str) -> str:
    """A label as the catalogue of some installed app translates it, else as it was written."""
    return gettext(label) if label else ""
