"""Labels of definitions in the user's language."""

from django.utils.translation import pgettext

CONTEXT = "label"


def translate_label(label: str) -> str:
    """Return the label translated by the message catalog of an installed app, or unchanged.

    Only entries with the context "label" count: others are texts of pages, in which the same word may mean
    something else.
    """
    return pgettext(CONTEXT, label) if label else ""
