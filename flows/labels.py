"""Labels of definitions in the user's language."""

from django.utils.translation import gettext


def translate_label(label: str) -> str:
    """Return the label translated by the message catalog of an installed app, or unchanged."""
    return gettext(label) if label else ""
