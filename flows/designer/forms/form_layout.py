"""The form of a task as its page shows it: sections of fields, with what each is on the present state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as made
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from flows import json_text
from flows.designer.forms import form_limits, form_tables
from flows.designer.trial.values import Field, as_text, exact, lines
from flows.labels import translate_label
from flows.queries.definitions import FlowInfo

WORDS = ("shown", "required", "readonly")
LISTS = ("choices", "table")
WITHOUT_UNIT = (*LISTS, "file")
MOST_CHOICES = 500


@dataclass(frozen=True)
class FormField:
    """A field of a form: how the definition describes it, its value, and whether it is shown and so on."""

    given: Mapping[str, Any]
    field: Field
    options: list[tuple[str, str]] = made(default_factory=list)
    chosen: list[str] = made(default_factory=list)
    rows: list[form_tables.Row] = made(default_factory=list)

    @property
    def writable(self) -> bool:
        """Return whether the task may change it."""
        return bool(self.given["writable"])

    @property
    def kind(self) -> str:
        """Return how it is asked for; "" for the control of its type."""
        return str(self.given.get("kind") or "")

    @property
    def now(self) -> dict[str, bool]:
        """Return whether it is shown, required and read-only."""
        return {word: self.given["now"][word] == "t" for word in WORDS}

    @property
    def is_marked(self) -> bool:
        """Return whether it is required on each state, which a preview shows."""
        return self.given.get("required") is True and self.given.get("readonly") is not True

    @property
    def conditions(self) -> list[tuple[str, str]]:
        """Return its conditions and its pattern, with what each decides."""
        titles = {"shown": _("shown if"), "required": _("required if"), "readonly": _("read-only if")}
        found = [(titles[word], self.given[word]) for word in WORDS if isinstance(self.given.get(word), str)]
        return [*found, *([(_("pattern"), self.given["pattern"])] if self.given.get("pattern") else [])]

    @property
    def was(self) -> str:
        """Return the exact text of its value beside its control; of a list always."""
        return json_text.encode(self.field.text, ensure_ascii=True) if self.kind in LISTS else self.field.was

    @property
    def file(self) -> dict[str, Any] | None:
        """Return the file that its value describes."""
        return file_of(self.field.text) if self.kind == "file" else None

    @property
    def accept(self) -> str:
        """Return the types of files that it takes, as a browser reads them."""
        return ",".join(self.given.get("accept") or [])

    @property
    def most(self) -> int:
        """Return how many bytes a file has at most; 0 where only the site limits it."""
        return int(self.given.get("max_kb") or 0) * 1024

    @property
    def hint(self) -> str:
        """Return a sentence with its limits; "" without any."""
        return form_limits.hint(self.given) if self.writable else ""

    @property
    def limits(self) -> str:
        """Return its limits as JSON for a browser; "" without any."""
        return form_limits.limits_of(self.given) if self.writable else ""

    @property
    def label(self) -> str:
        """Return its label: that of the form, else that of the attribute."""
        return translate_label(str(self.given.get("label") or "")) or self.field.label

    @property
    def described(self) -> list[str]:
        """Return which texts about its control there are, as the ends of their ids."""
        names = [
            ("help", self.given.get("help")),
            ("limits", self.hint),
            ("unit", self.kind not in WITHOUT_UNIT and self.given.get("unit")),
            ("error", self.field.error),
        ]
        return [name for name, text in names if text]


@dataclass(frozen=True)
class Section:
    """Fields under a title."""

    title: str
    help: str
    fields: list[FormField]


def given_fields(form: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the fields of a form, those of all sections."""
    return [each for section in form["sections"] for each in section["fields"]]


def asked_names(form: Mapping[str, Any]) -> list[str]:
    """Return the attributes that a form asks for."""
    return [str(each["attribute"]) for each in given_fields(form) if each["writable"]]


def with_defaults(form: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts, by field, that a form proposes where there is no value."""
    return {
        f"value-{each['attribute']}": str(each["default"])
        for each in given_fields(form)
        if each["writable"] and each.get("default") and state.get(each["attribute"]) is None
    }


def sections(
    form: Mapping[str, Any], fields: Iterable[Field], cells: Mapping[str, Any] | None = None
) -> list[Section]:
    """Return the sections of a form with those of its fields whose values are shown to the reader.

    `cells` has by attribute which cells of a table the kernel rejected.
    """
    wrong = cells or {}
    known = {one.name: one for one in fields}
    return [
        Section(
            translate_label(str(each.get("title") or "")),
            str(each.get("help") or ""),
            [
                _filled(one, known[one["attribute"]], wrong.get(one["attribute"]) or [])
                for one in each["fields"]
                if one["attribute"] in known
            ],
        )
        for each in form["sections"]
    ]


def _filled(given: Mapping[str, Any], one: Field, wrong: Sequence[Any]) -> FormField:
    """Return a field with what its control offers; one that cannot show its value is that of the type."""
    options = [(as_text(each), each) for each in given.get("options") or []]
    if given.get("kind") == "choice":
        known = options or [each for each in one.options if each[0]]
        if one.text and one.text not in dict(known):
            known = [*known, (one.text, one.text)]
        return FormField(given, replace(one, options=[("", ""), *known]))
    if given.get("kind") == "choices" and (chosen := _chosen(one.text)) is not None:
        return FormField(given, one, options=_choices(given, chosen), chosen=chosen)
    if given.get("kind") == "table" and (found := form_tables.listed(one.text)) is not None:
        return FormField(given, one, rows=form_tables.rows(given, found, wrong))
    return FormField({**given, "kind": ""} if given.get("kind") in LISTS else given, one)


def _chosen(text: str) -> list[str] | None:
    """Return the choices that a text of JSON is; None for a value that is none of them."""
    found = form_tables.decoded(text)
    fits = isinstance(found, list) and all(isinstance(one, str) for one in found)
    return found if fits and len(found) == len({*found}) <= MOST_CHOICES else None


def _choices(given: Mapping[str, Any], chosen: Sequence[str]) -> list[tuple[str, str]]:
    """Return the possible choices: the options, and chosen values that are not among them."""
    return [(each, each) for each in dict.fromkeys([*(given.get("options") or []), *chosen])]


def file_of(text: str) -> dict[str, Any] | None:
    """Return the description of a file that a text of JSON is; None for others."""
    try:
        found = json_text.decode_typed(text) if text else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("name"), str) else None


def posted(form: Mapping[str, Any], given: QueryDict, state: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts that a form sends, by field; choices and rows of tables are put together."""
    found = {name: str(given[name]) for name in given}
    for each in given_fields(form):
        name, kind = f"value-{each['attribute']}", each.get("kind")
        if kind == "file" and f"drop-{each['attribute']}" in given:
            found[name] = ""
        if f"list-{each['attribute']}" in given and kind in LISTS:
            was = exact(given.get(f"was-{name}", ""))
            before = as_text(state.get(each["attribute"]), "jsonb") if was is None else was
            made = _picked(each, given, before) if kind == "choices" else _rows(each, given, before)
            found[name] = before if made is None else as_text(made, "jsonb") if made else ""
    return found


def _rows(each: Mapping[str, Any], given: QueryDict, before: str) -> list[Any] | None:
    """Return the rows of a table; None if nothing was changed."""
    return form_tables.posted(each, given, form_tables.listed(before) or [])


def _picked(each: Mapping[str, Any], given: QueryDict, before: str) -> list[str] | None:
    """Return the chosen values; None if they are those chosen before, in whatever order."""
    chosen = _chosen(before) or []
    known = [value for value, _text in _choices(each, chosen)]
    sent = [lines(text) for text in given.getlist(f"value-{each['attribute']}")]
    if sent == [lines(value) for value in known if value in chosen]:
        return None
    return [next((value for value in known if lines(value) == text), text) for text in sent]


def problems(
    wrong: Mapping[str, str], fields: Iterable[Field], form: Mapping[str, Any] | None = None
) -> list[Field]:
    """Return the fields with what the kernel says of them; `form` has their limits."""
    given = {str(each["attribute"]): each for each in given_fields(form)} if form else {}
    texts = {
        "required": _("This field is required."),
        "readonly": _("This field is read-only now; it keeps the value it has."),
        "hidden": _("This field is not asked for now; it keeps the value it has."),
        "option": _("Choose one of the options."),
        "cells": _("The marked cells have no value of their column."),
        "file": _("This file was not sent for this task, or the field does not take it. Choose it again."),
        "row": _("Choose one of the rows that are offered."),
        "person": _("There is no such user who may log in."),
    }

    def said(name: str) -> str:
        why = wrong.get(name, "")
        return texts.get(why, "") or form_limits.problem(why, given.get(name, {}))

    return [replace(one, error=said(one.name) or one.error) for one in fields]


def for_browser(form: Mapping[str, Any], flow: FlowInfo, state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data with which a browser evaluates the conditions of a form: trees and values.

    A condition about a value that the reader may not see is evaluated by the server.
    """
    found: dict[str, dict[str, Any]] = {}
    reads: set[str] = set()
    for each in given_fields(form):
        for word, one in each["conditions"].items():
            seen = all(flow.shows(name) for name in one["reads"])
            found.setdefault(str(each["attribute"]), {})[word] = one["tree"] if seen else None
            reads |= set(one["reads"]) if seen and one["tree"] else set()
    fixed = {
        str(each["attribute"]): {word: each["now"][word] for word in WORDS} for each in given_fields(form)
    }
    return {"conditions": found, "now": fixed, "state": {name: plain(state.get(name)) for name in reads}}


def plain(value: Any) -> str | None:
    """Return a value as the evaluation in a browser reads it."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return json_text.encode(value)
