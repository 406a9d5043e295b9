"""The fields in which a designer describes a field or a section of the form of a task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from flows import json_text
from flows.designer.editor.fields import LinesField, TextField
from flows.designer.editor.widgets import ConditionTextarea
from flows.designer.forms import form_columns, form_limits
from flows.designer.forms.form_parts import CONDITIONS

LONGEST = form_columns.LONGEST
LONGEST_CONDITION = 100_000
# The kinds of field that can show an attribute, by its type; the kernel checks the same.
KINDS: dict[str, tuple[str, ...]] = {
    "text": ("short", "long", "choice", "person", "query"),
    "enum": ("choice",),
    "integer": ("choice", "query"),
    "numeric": ("choice", "query"),
    "date": ("query",),
    "jsonb": ("choices", "table", "file"),
}
KIND: dict[str, Any] = {
    "short": gettext_lazy("one line"),
    "long": gettext_lazy("several lines"),
    "choice": gettext_lazy("one of several options"),
    "choices": gettext_lazy("several of the options"),
    "person": gettext_lazy("a person"),
    "table": gettext_lazy("a table"),
    "file": gettext_lazy("a file or a photo"),
    "query": gettext_lazy("an instance of a flow"),
}
WHEN: dict[str, dict[str, Any]] = {
    "shown": {
        "": gettext_lazy("always"),
        "when": gettext_lazy("if a condition holds"),
        "never": gettext_lazy("never"),
    },
    "required": {
        "": gettext_lazy("no"),
        "when": gettext_lazy("if a condition holds"),
        "always": gettext_lazy("always"),
    },
    "readonly": {
        "": gettext_lazy("no"),
        "when": gettext_lazy("if a condition holds"),
        "always": gettext_lazy("always"),
    },
}
TEXTS = ("label", "help", "placeholder", "default", "unit")
_QUERY = ("flow", "where", "value")


def _text(label: Any, help_text: Any = "") -> TextField:
    """Return the field of an option that is a short text, or none."""
    return TextField(label=label, help_text=help_text, max_length=LONGEST, required=False)


def _lines(label: Any, help_text: Any, longest: int = LONGEST) -> LinesField:
    """Return the field of an option that is a list of texts, one per line."""
    return LinesField(label=label, help_text=help_text, max_length=longest, required=False)


class SectionForm(forms.Form):
    """The title of a section and the sentence below it."""

    title = _text(gettext_lazy("title"))
    help = _text(gettext_lazy("help"), gettext_lazy("A sentence below the title."))

    def part(self, before: Mapping[str, Any]) -> dict[str, Any]:
        """Return the section as the form of a task has it."""
        typed = {name: self.cleaned_data[name] for name in ("title", "help")}
        return _with(before, typed)


class FieldForm(forms.Form):
    """The options of a field; the kernel checks them when the draft is checked."""

    label = _text(gettext_lazy("label"), gettext_lazy("Without one it has the label of the attribute."))
    help = _text(gettext_lazy("help"), gettext_lazy("A sentence below the field."))
    placeholder = _text(
        gettext_lazy("placeholder"), gettext_lazy("An example in the empty field; it is no value.")
    )
    default = _text(
        gettext_lazy("default"), gettext_lazy("What is proposed where the attribute has no value.")
    )
    unit = _text(gettext_lazy("unit"), gettext_lazy("A text behind the field, such as EUR."))
    width = forms.ChoiceField(
        label=gettext_lazy("width"),
        choices=[
            ("", gettext_lazy("the whole width")),
            ("half", gettext_lazy("half")),
            ("third", gettext_lazy("a third")),
        ],
        help_text=gettext_lazy("On a narrow page every field has the whole width."),
        required=False,
    )
    options = _lines(
        gettext_lazy("options"),
        gettext_lazy("What can be chosen, one per line; an enum has its own."),
        LONGEST_CONDITION,
    )
    accept = _lines(
        gettext_lazy("types of files"),
        gettext_lazy("Such as image/* or application/pdf, one per line; empty for every type."),
    )
    max_kb = forms.IntegerField(
        label=gettext_lazy("largest size in kB"), min_value=1, max_value=16384, required=False
    )
    capture = forms.ChoiceField(
        label=gettext_lazy("camera of a phone"),
        choices=[
            ("", gettext_lazy("a file is chosen")),
            ("environment", gettext_lazy("the back camera takes a photo")),
            ("user", gettext_lazy("the front camera takes a photo")),
        ],
        required=False,
    )
    query_flow = _text(gettext_lazy("flow of the instances"), gettext_lazy("Its name; empty for this flow."))
    query_where = TextField(
        label=gettext_lazy("which instances"),
        help_text=gettext_lazy(
            "A condition over the attributes of that flow; my_ before a name means an attribute of the task's"
            " own instance."
        ),
        widget=forms.Textarea(attrs={"rows": 2, "class": "mono", "spellcheck": "false"}),
        max_length=LONGEST_CONDITION,
        required=False,
    )
    query_value = _text(gettext_lazy("attribute whose value is written"))
    query_columns = _lines(
        gettext_lazy("attributes that are shown"), gettext_lazy("Up to ten, one per line.")
    )

    def __init__(
        self, field: Mapping[str, Any], kind: str, writable: bool, data: Mapping[str, Any] | None = None
    ) -> None:
        """Make the fields for an attribute of type `kind`, which the task may write or only show."""
        super().__init__(data, initial=_initial(field), use_required_attribute=False)
        self.before, self.given = field, data
        present = str(field.get("kind") or "")
        kinds = [each for each in KIND if each in (*KINDS.get(kind, ()), present)]
        choices = [("", _("by its type")), *((each, KIND[each]) for each in kinds)]
        choices += [(present, present)] if present and present not in KIND else []
        self.fields["kind"] = forms.ChoiceField(label=_("kind"), choices=choices, required=False)
        self.limits = form_limits.controls(kind) if writable else {}
        self.fields.update(self.limits)
        for word in CONDITIONS:
            self._offer_condition(word)
        if not writable:
            for name in ("placeholder", "default", "required_when", "required", "readonly_when", "readonly"):
                del self.fields[name]

    def _offer_condition(self, word: str) -> None:
        titles = {"shown": _("shown"), "required": _("required"), "readonly": _("read-only")}
        self.fields[f"{word}_when"] = forms.ChoiceField(
            label=titles[word], choices=list(WHEN[word].items()), required=False
        )
        self.fields[word] = TextField(
            label=_("%(what)s if") % {"what": titles[word]},
            widget=ConditionTextarea(),
            max_length=LONGEST_CONDITION,
            required=False,
        )

    @property
    def groups(self) -> Iterator[tuple[str, list[BoundField]]]:
        """Yield the fields of the form with the kind that each group is for; "" is for every kind."""
        names = (*TEXTS, "width", *self.limits, "kind")
        yield "", [self[name] for name in names if name in self.fields]
        yield "choice choices", [self["options"]]
        yield "file", [self[name] for name in ("accept", "max_kb", "capture")]
        yield "query", [self[f"query_{name}"] for name in (*_QUERY, "columns")]

    @property
    def conditions(self) -> list[tuple[str, BoundField, BoundField]]:
        """Return for each of shown, required and read-only the choice and its condition."""
        return [(word, self[f"{word}_when"], self[word]) for word in CONDITIONS if word in self.fields]

    @property
    def columns(self) -> list[dict[str, Any]]:
        """Return the rows in which the columns of a table are typed, with empty ones at the end."""
        if self.given is not None:
            return list(form_columns.typed(self.given, keep_empty=True))
        found = self.before.get("columns")
        known = [dict(one) for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []
        return [form_columns.as_row(one) for one in [*known, *[{}] * form_columns.SPARE]][: form_columns.MOST]

    @property
    def column_types(self) -> list[tuple[str, Any]]:
        """Return the types that a column of a table may have."""
        return list(form_columns.TYPES.items())

    def clean(self) -> dict[str, Any]:
        """Require the condition of what holds by a condition."""
        found = super().clean() or self.cleaned_data
        for word in CONDITIONS:
            if found.get(f"{word}_when") == "when" and not found.get(word):
                self.add_error(word, _("Write the condition, or choose another answer."))
        return found

    def part(self) -> dict[str, Any]:
        """Return the field as the form of a task has it; what was not shown to the designer stays."""
        found = self.cleaned_data
        typed: dict[str, Any] = {
            name: found.get(name) for name in (*TEXTS, "width", "kind", *self.limits) if name in self.fields
        }
        kind = found.get("kind") or ""
        typed["options"] = found.get("options") if kind in ("", "choice", "choices") else None
        for name in ("accept", "max_kb", "capture"):
            typed[name] = found.get(name) if kind == "file" else None
        typed["columns"] = self._columns() if kind == "table" else None
        typed["query"] = self._query() if kind == "query" else None
        for word in CONDITIONS:
            if word in self.fields:
                typed[word] = _condition(found, word)
        return _with(self.before, typed)

    def _columns(self) -> list[dict[str, Any]] | None:
        """Return the columns that were typed; one that was not changed stays as it is written."""
        found = self.before.get("columns")
        known = [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []
        same = {json_text.encode(form_columns.as_row(one), sort_keys=True): dict(one) for one in known}
        rows = form_columns.typed(self.given or {})
        return [
            same.get(json_text.encode(row, sort_keys=True)) or form_columns.as_column(row) for row in rows
        ] or None

    def _query(self) -> dict[str, Any]:
        before = self.before.get("query")
        typed = {name: self.cleaned_data.get(f"query_{name}") for name in (*_QUERY, "columns")}
        return _with(before if isinstance(before, Mapping) else {}, typed)


def _initial(field: Mapping[str, Any]) -> dict[str, Any]:
    """Return the initial values of a field's controls; a draft may have values of any form."""
    found: dict[str, Any] = {
        name: form_columns.text_of(field.get(name)) for name in (*TEXTS, "kind", "capture")
    }
    found |= {name: field.get(name) for name in ("options", "accept", "max_kb")}
    found |= {name: form_columns.text_of(field.get(name)) for name in form_limits.LIMITS}
    width = form_columns.text_of(field.get("width"))
    found["width"] = "" if width == "full" else width
    query = field.get("query")
    for name in (*_QUERY, "columns"):
        found[f"query_{name}"] = query.get(name) if isinstance(query, Mapping) else None
    for word in CONDITIONS:
        value = field.get(word)
        usual = word == "shown"
        found[word] = value if isinstance(value, str) else ""
        kept = {True: "" if usual else "always", False: "never" if usual else ""}
        found[f"{word}_when"] = (
            "when" if isinstance(value, str) else kept.get(bool(value), "") if isinstance(value, bool) else ""
        )
    return found


def _condition(found: Mapping[str, Any], word: str) -> Any:
    """Return whether a field is shown and so on, as the form has it; None for what is usual."""
    return {"when": found.get(word), "always": True, "never": False}.get(found.get(f"{word}_when") or "")


def _with(before: Mapping[str, Any], typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with what was typed; what is empty is left out, what means the usual is not added."""
    kept = {name: value for name, value in before.items() if name not in typed}
    usual = {"width": "full", "shown": True, "required": False, "readonly": False}
    for name, value in typed.items():
        if value not in ("", None, []):
            kept[name] = value
        elif name in usual and before.get(name) == usual[name]:
            kept[name] = before[name]  # it was written, and means the same
    ordered = [name for name in before if name in kept]
    return {name: kept[name] for name in dict.fromkeys([*ordered, *kept])}
