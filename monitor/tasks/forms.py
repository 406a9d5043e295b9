"""The form of a task: what its rule may write is asked for, and only what was changed is written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from flows import api
from flows.capabilities.tasks.api import TaskSheet
from flows.definition.option_labels import value_label
from flows.designer.forms import form_layout as layout
from flows.designer.trial import values
from flows.designer.trial.values import Field
from flows.queries.definitions import FlowInfo

SHOWN = "shown"
LONGEST = 1_000_000
MOST_TYPED = 500
_DECLARED = "_declared"


def attributes(flow: FlowInfo, names: Sequence[str]) -> list[Mapping[str, Any]]:
    """Return those of these attributes whose values are shown, in the order of the definition."""
    return [one for one in _declared(flow) if one["name"] in names and flow.shows(str(one["name"]))]


def _declared(flow: FlowInfo) -> list[Mapping[str, Any]]:
    """Return the attributes as they are declared, read once for a flow that a page has."""
    known = vars(flow)
    if _DECLARED not in known:
        known[_DECLARED] = [dict(one) for one in api.flows.definition(flow.name)["attributes"]]
    return list[Mapping[str, Any]](known[_DECLARED])


def asked(flow: FlowInfo, sheet: TaskSheet, typed: Mapping[str, str] | None = None) -> list[Field]:
    """Return the fields of what the task may write, with the present values or with what was typed."""
    writes = layout.asked_names(sheet.form) if sheet.form else sheet.writes
    names = [name for name in writes if name not in flow.internal and not is_large(sheet.state_of.get(name))]
    return values.named_fields(attributes(flow, names), sheet.state_of, typed or {})


def is_large(value: Any) -> bool:
    """Return whether a value is longer than what a form may send: it is shown in part, and not asked for."""
    if isinstance(value, str):
        return len(value) > values.LONGEST_VALUE
    return isinstance(value, list | dict) and len(values.as_text(value, "jsonb")) > values.LONGEST_VALUE


def _form_of(sheet: TaskSheet) -> dict[str, Any]:
    """Return the form of a task, in which large values are only shown."""
    form = sheet.form or {"sections": []}
    return {**form, "sections": [_section(one, sheet) for one in form["sections"]]}


def _section(section: Mapping[str, Any], sheet: TaskSheet) -> dict[str, Any]:
    note = _("It is too long for a form, and stays as it is. The beginning is shown.")
    large = {"writable": False, "help": note}
    fields = section["fields"]
    return {
        **section,
        "fields": [
            {**one, **large} if one["writable"] and is_large(sheet.state_of.get(one["attribute"])) else one
            for one in fields
        ],
    }


def proposed(sheet: TaskSheet) -> dict[str, str]:
    """Return the texts, by field, that the form proposes where there is no value."""
    return layout.with_defaults(sheet.form, sheet.state_of) if sheet.form else {}


def holds(sheet: TaskSheet, person: str) -> bool:
    """Return whether a person has a task that has not ended, and may fill in its form."""
    return sheet.owner == person and sheet.ended_at is None


def has_files(sheet: TaskSheet) -> bool:
    """Return whether the form of a task asks for a file."""
    return bool(sheet.form and any(one.get("kind") == "file" for one in layout.given_fields(sheet.form)))


def posted(sheet: TaskSheet, given: QueryDict) -> Mapping[str, str]:
    """Return the texts of the fields that a form sends."""
    return (
        layout.posted(sheet.form, given, sheet.state_of)
        if sheet.form
        else {name: str(given[name]) for name in given}
    )


def laid_out(
    flow: FlowInfo, sheet: TaskSheet, fields: Sequence[Field], cells: Mapping[str, Any] | None = None
) -> list[layout.Section]:
    """Return the sections of the form of a task; none where its rule has no form.

    `cells` has by attribute which cells of a table the kernel rejected.
    """
    if not sheet.form:
        return []
    form = _form_of(sheet)
    only_shown = [str(one["attribute"]) for one in layout.given_fields(form) if not one["writable"]]
    shown = values.named_fields(attributes(flow, only_shown), sheet.state_of, {})
    return layout.sections(form, [*fields, *shown], cells)


def about(flow: FlowInfo, sheet: TaskSheet) -> list[tuple[Field, dict[str, Any] | None]]:
    """Return the values that the task is about, those first that its rule reads.

    Beside each value is the description of the file that it may be.

    The business key comes before them. What the form asks for is left out.
    """
    keys = [one.name for one in flow.attributes if one.business_key]
    names = dict.fromkeys([*keys, *sheet.reads, *sheet.state_of])
    shown = {str(one["attribute"]) for one in layout.given_fields(sheet.form)} if sheet.form else set()
    writes = {name for name in sheet.writes if sheet.form or not is_large(sheet.state_of.get(name))}
    left_out = {*writes, *flow.internal, *shown}
    there = [name for name in names if name not in left_out and sheet.state_of.get(name) is not None]
    places = {name: place for place, name in enumerate(there)}
    found = sorted(attributes(flow, there), key=lambda one: places[str(one["name"])])
    fields = values.named_fields(found, sheet.state_of, {})
    return [(one, layout.file_of(one.text) if one.type == "jsonb" else None) for one in fields]


def as_shown(fields: Sequence[Field], before: Mapping[str, str] | None = None) -> str:
    """Return the texts with which a form was shown, which it sends back; `before`: those of a draft."""
    return json.dumps({one.field: one.text for one in fields} | dict(before or {}))


def marked(fields: Sequence[Field], wrong: Mapping[str, str]) -> list[Field]:
    """Return the fields with what is wrong with some, by attribute."""
    return [replace(one, error=wrong.get(one.name, "") or one.error) for one in fields]


def changed(
    flow: FlowInfo, sheet: TaskSheet, given: Mapping[str, str], wrong: Mapping[str, str] | None = None
) -> tuple[list[Field], dict[str, Any], bool]:
    """Return the fields, the values that a person changed, and whether the form is right.

    What was not touched is not written. A value that another person has changed since the form was shown is
    shown once, beside what was typed. `wrong`: what is already known to be wrong, by attribute.
    """
    typed, before = values.posted(given), texts(given.get(SHOWN, ""))
    now = {one.field: one for one in asked(flow, sheet)}
    fields, found = [], {}
    for one in asked(flow, sheet, typed):
        was, present = before.get(one.field, now[one.field].text), now[one.field].text
        if one.text == was or one.field not in typed:
            fields.append(now[one.field])
            continue
        if not one.error and was != present and one.text != present:
            text = _("Meanwhile it was changed to: %(value)s.") % {
                "value": value_label(one.type, present) or _("empty")
            }
            one = replace(one, error=text)
        fields.append(one)
        if not one.error:
            found[one.name] = values.as_value(one.text, one.type)
    fields = marked(fields, wrong or {})
    return fields, found, not any(one.error for one in fields)


def typed(flow: FlowInfo, sheet: TaskSheet, given: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the typed texts that can no longer be sent: labels and texts of changed fields."""
    sent, before = values.posted(given), texts(given.get(SHOWN, ""))
    return [
        (one.label, sent[one.field])
        for one in asked(flow, sheet)
        if one.field in sent and sent[one.field] != before.get(one.field, one.text)
    ]


def unasked(flow: FlowInfo, sheet: TaskSheet, given: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the texts typed for attributes that the form does not ask for: labels, or names, and texts.

    The definition may have changed since the form was shown, or a program sends what the task may not write.
    """
    sent, before = values.posted(given), texts(given.get(SHOWN, ""))
    known = {one.field for one in asked(flow, sheet)}
    labels = {f"value-{one.name}": one.title for one in flow.attributes if flow.shows(one.name)}
    return [
        (labels.get(name, name.removeprefix("value-"))[:MOST_TYPED], text)
        for name, text in sent.items()
        if name not in known and text and text != before.get(name)
    ][:MOST_TYPED]


def raw(given: QueryDict) -> list[tuple[str, str]]:
    """Return the values of a form, by the names of attributes: nothing is known of its task any more."""
    before = texts(given.get(SHOWN, ""))
    sent = {name: str(given[name]) for name in given if name.startswith(("value-", "cell-"))}
    changed = {name: text for name, text in sent.items() if text and text != before.get(name)}
    return [(name.partition("-")[2], text) for name, text in list(changed.items())[:MOST_TYPED]]


def texts(given: str) -> dict[str, str]:
    """Return the texts that `as_shown` wrote; none for anything else."""
    try:
        found = json.loads(given[:LONGEST]) if given else {}
    except (ValueError, RecursionError):
        return {}
    return {k: v for k, v in found.items() if isinstance(v, str)} if isinstance(found, dict) else {}
