"""The sections and fields of the form of a task as its tab lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from flows.designer.draft.content import Design
from flows.designer.forms import form_parts
from flows.designer.forms.form_parts import Form, Place
from flows.labels import translate_label


def labels(design: Design) -> dict[str, str]:
    """Return the labels of the attributes by their names."""
    return {
        str(one["name"]): translate_label(str(one.get("label") or "")) or str(one["name"])
        for one in design.definition["attributes"]
        if one.get("name")
    }


def rows(
    form: Mapping[str, Any], at: Place | None, labels: Mapping[str, str], writable: list[str]
) -> list[dict[str, Any]]:
    """Return the sections of a form with their fields, as the list shows them."""
    return [
        {
            "at": Place(n),
            "title": translate_label(str(section.get("title") or "")),
            "current": at == Place(n),
            "fields": [
                {
                    "at": Place(n, m),
                    "attribute": one["attribute"],
                    "label": translate_label(str(one.get("label") or ""))
                    or labels.get(one["attribute"], one["attribute"]),
                    "marks": _marks(one, writable),
                    "current": at == Place(n, m),
                }
                for m, one in enumerate(section["fields"])
            ],
        }
        for n, section in enumerate(form["sections"])
    ]


def _marks(field: Mapping[str, Any], writable: list[str]) -> list[str]:
    """Return short words for what is unusual of a field."""
    if field["attribute"] not in writable:
        return [_("only shown")]
    found = {
        "shown": {False: _("never shown"), "when": _("shown by a condition")},
        "required": {True: _("required"), "when": _("required by a condition")},
        "readonly": {True: _("read-only"), "when": _("read-only by a condition")},
    }
    marks = []
    for word, texts in found.items():
        value = field.get(word)
        mark = texts.get("when" if isinstance(value, str) else value if isinstance(value, bool) else "")
        marks += [mark] if mark else []
    return marks


def addable(form: Form, labels: Mapping[str, str], writable: list[str]) -> list[tuple[str, str]]:
    """Return the attributes that the form does not have yet; those come first that the task may write."""
    names = [name for name in labels if name not in form_parts.named(form)]
    names.sort(key=lambda name: name not in writable)
    return [
        (name, labels[name] if name in writable else f"{labels[name]} · {_('only shown')}") for name in names
    ]
