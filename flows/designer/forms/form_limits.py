"""The limits of the fields of a form: sentences on its page, and controls on the tab of its designer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from flows import json_text
from flows.designer.editor.fields import TextField
from flows.designer.forms.form_columns import text_of

OF_TEXTS = ("min_length", "max_length", "pattern")
OF_VALUES = ("min", "max")
LIMITS = (*OF_VALUES, *OF_TEXTS)
LONGEST_PATTERN = 200
MOST_LETTERS = 9_999_999
_LONGEST = 100


def hint(given: Mapping[str, Any]) -> str:
    """Return a sentence with the limits of a field; "" without any. A pattern is described by its help."""
    least, most = (_number(given.get(name)) for name in OF_VALUES)
    texts = {
        (True, True): _("From %(least)s to %(most)s."),
        (True, False): _("At least %(least)s."),
        (False, True): _("At most %(most)s."),
    }
    found = [texts[bool(least), bool(most)] % {"least": least, "most": most}] if least or most else []
    return " ".join([*found, *_lengths(given)])


def _lengths(given: Mapping[str, Any]) -> list[str]:
    least, most = given.get("min_length"), given.get("max_length")
    found = []
    if least:
        text = ngettext("At least %(n)s character.", "At least %(n)s characters.", _count(least))
        found.append(text % {"n": least})
    if most:
        text = ngettext("At most %(n)s character.", "At most %(n)s characters.", _count(most))
        found.append(text % {"n": most})
    return found


def problem(limit: str, given: Mapping[str, Any]) -> str:
    """Return the problem of a value that violates a limit of its field; "" for no limit."""
    if limit not in LIMITS or limit not in given:
        return ""
    if limit == "pattern":
        return _("The text has not the form that is asked for: %(pattern)s.") % {"pattern": given["pattern"]}
    value = given[limit]
    texts = {
        "min": _("The least value is %(limit)s."),
        "max": _("The greatest value is %(limit)s."),
        "min_length": ngettext(
            "It has at least %(limit)s character.", "It has at least %(limit)s characters.", _count(value)
        ),
        "max_length": ngettext(
            "It has at most %(limit)s character.", "It has at most %(limit)s characters.", _count(value)
        ),
    }
    return texts[limit] % {"limit": _number(value)}


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _number(value: Any) -> str:
    """Return a limit as a text; "" for none."""
    return text_of(value)


def limits_of(given: Mapping[str, Any]) -> str:
    """Return the limits of a field as JSON, which a browser without a connection checks; "" for none."""
    found = {name: given[name] for name in LIMITS if name in given}
    return json_text.encode(found) if found else ""


class LimitField(TextField):
    """A least or greatest value: a number, or a day; the kernel says whether it is one of the type."""

    def clean(self, value: Any) -> Any:
        """Return a number where the text is one."""
        text = super().clean(value)
        return _as_number(text) if text else None


def _as_number(text: str) -> Any:
    try:
        found = json_text.decode_typed(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(found, (bool, str, list, dict)) or found is None else found


def controls(kind: str) -> dict[str, forms.Field]:
    """Return the controls of the limits of an attribute of a type."""
    if kind in ("integer", "numeric", "date"):
        day = _("A day such as 2026-01-31.") if kind == "date" else ""
        titles = {"min": gettext_lazy("least value"), "max": gettext_lazy("greatest value")}
        return {
            name: LimitField(label=title, help_text=day, max_length=_LONGEST, required=False)
            for name, title in titles.items()
        }
    if kind != "text":
        return {}
    return {
        "min_length": _length(gettext_lazy("fewest characters")),
        "max_length": _length(gettext_lazy("most characters")),
        "pattern": TextField(
            label=gettext_lazy("pattern"),
            help_text=gettext_lazy(
                "A regular expression of which the text must have a part; ^ and $ are its ends. Describe it"
                " in the help."
            ),
            widget=forms.TextInput(attrs={"class": "mono", "spellcheck": "false"}),
            max_length=LONGEST_PATTERN,
            required=False,
        ),
    }


def _length(title: Any) -> forms.Field:
    return forms.IntegerField(label=title, min_value=1, max_value=MOST_LETTERS, required=False)
