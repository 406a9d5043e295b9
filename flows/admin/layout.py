"""The layout of the definition's forms, generated from its options: form fields and their places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from django.db import models

from flows.admin.forms import IntervalFormField
from flows.definition import TITLES, Option, Options
from flows.designer.editor.fields import LinesField, TextField, WritesField
from flows.models.fields import IntervalField, TextsField

FORM_FIELDS: dict[Any, dict[str, Any]] = {
    IntervalField: {"form_class": IntervalFormField},
    TextsField: {"form_class": LinesField},
    models.TextField: {"form_class": TextField},
}
# The only list of a trigger is that of the attributes that its transition may write.
TRIGGER_FIELDS = FORM_FIELDS | {TextsField: {"form_class": WritesField}}


def fieldsets(options: Options, before: Sequence[str] = (), after: Sequence[str] = ()) -> tuple[Any, ...]:
    """Return the fieldsets of a form; `before` and `after` are fields of the first one that are not options.

    Only the first fieldset is open when the page is loaded.
    """
    (first, main), *rest = (
        (TITLES[group], _lines(found)) for group, found in groupby(options.shown, lambda option: option.group)
    )
    folded = [(title, {"classes": ("collapse",), "fields": lines}) for title, lines in rest]
    return ((first, {"fields": (*before, *main, *after)}), *folded)


def _lines(options: Iterable[Option]) -> tuple[Any, ...]:
    lines: list[list[str]] = []
    for option in options:
        if option.same_line:
            lines[-1].append(option.name)
        else:
            lines.append([option.name])
    return tuple(tuple(line) if len(line) > 1 else line[0] for line in lines)
