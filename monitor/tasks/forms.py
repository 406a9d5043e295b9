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
from flows.designer import form_layout as layout
from flows.designer import values
from flows.designer.values import Field
from flows.queries.definitions import FlowInfo

SHOWN = "shown"
LONGEST = 1_000_000
_DECLARED = "_declared"


def attributes(flow: FlowInfo, names: Sequence[str]) -> list[Mapping[str, Any]]:
    """Return those of these attributes whose values are shown, in the order of the definition."""
    return [one for one in _declared(flow) if one["name"] in names and flow.shows(str(one["name"]))]


def _declared(flow: FlowInfo) -> list[Mapping[str, Any]]:
    """Return the attributes as they are declared, read once for a flow that a page has."""
    known = vars(flow)
    if _DECLARED not in known:
        known[_DECLARED] = [dict(one) for one in api.definition(flow.name)["attributes"]]
    return list[Mapping[str, Any]](known[_DECLARED])


def asked(flow: FlowInfo, sheet: TaskSheet, typed: Mapping[str, str] | None = None) -> list[Field]:
    """Return the fields of what the task may write, with the present values or with what was typed."""
    writes = layout.asked_names(sheet.form) if sheet.form else sheet.writes
    names = [name for name in writes if name not in flow.internal]
    return values.named_fields(attributes(flow, names), sheet.state_of, typed or {})


def proposed(sheet: TaskSheet) -> dict[str, str]:
    """Return the texts, by field, that the form proposes where there is no value."""
    return layout.with_defaults(sheet.form, sheet.state_of) if sheet.form else {}


def posted(sheet: TaskSheet, given: QueryDict) -> Mapping[str, str]:
    """Return the texts of the fields that a form sends."""
    return (
        layout.posted(sheet.form, given, sheet.state_of)
        if sheet.form
        else {name: str(given[name]) for name in given}
    )


def laid_out(flow: FlowInfo, sheet: TaskSheet, fields: Sequence[Field]) -> list[layout.Section]:
    """Return the sections of the form of a task; none where its rule has no form."""
    if not sheet.form:
        return []
    only_shown = [str(one["attribute"]) for one in layout.given_fields(sheet.form) if not one["writable"]]
    shown = values.named_fields(attributes(flow, only_shown), sheet.state_of, {})
    return layout.sections(sheet.form, [*fields, *shown])


def about(flow: FlowInfo, sheet: TaskSheet) -> list[Field]:
    """Return what the task is about: the values that there are, those first that its rule reads.

    The business key comes before them. What the form asks for is left out.
    """
    keys = [one.name for one in flow.attributes if one.business_key]
    names = dict.fromkeys([*keys, *sheet.reads, *sheet.state_of])
    shown = {str(one["attribute"]) for one in layout.given_fields(sheet.form)} if sheet.form else set()
    left_out = {*sheet.writes, *flow.internal, *shown}
    there = [name for name in names if name not in left_out and sheet.state_of.get(name) is not None]
    places = {name: place for place, name in enumerate(there)}
    found = sorted(attributes(flow, there), key=lambda one: places[str(one["name"])])
    return values.named_fields(found, sheet.state_of, {})


def as_shown(fields: Sequence[Field], before: Mapping[str, str] | None = None) -> str:
    """Return the texts with which a form was shown, which it sends back; `before`: those of a draft."""
    return json.dumps({one.field: one.text for one in fields} | dict(before or {}))


def changed(
    flow: FlowInfo, sheet: TaskSheet, given: Mapping[str, str]
) -> tuple[list[Field], dict[str, Any], bool]:
    """Return the fields, the values that a person changed, and whether the form is right.

    What was not touched is not written. A value that another person has changed since the form was shown is
    shown once, beside what was typed.
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
            text = _("Meanwhile it was changed to: %(value)s.") % {"value": present or _("empty")}
            one = replace(one, error=text)
        fields.append(one)
        if not one.error:
            found[one.name] = values.as_value(one.text, one.type)
    return fields, found, not any(one.error for one in fields)


def texts(given: str) -> dict[str, str]:
    """Return the texts that `as_shown` wrote; none for anything else."""
    try:
        found = json.loads(given[:LONGEST]) if given else {}
    except (ValueError, RecursionError):
        return {}
    return {k: v for k, v in found.items() if isinstance(v, str)} if isinstance(found, dict) else {}
