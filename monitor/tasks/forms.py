"""The form of a task: what its rule may write is asked for, and only what was changed is written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from flows import api
from flows.capabilities.tasks.api import TaskSheet
from flows.designer import values
from flows.designer.values import Field
from flows.queries.definitions import FlowInfo

SHOWN = "shown"
LONGEST = 1_000_000


def attributes(flow: FlowInfo, names: Sequence[str]) -> list[Mapping[str, Any]]:
    """Return those of these attributes whose values are shown, in the order of the definition."""
    found = api.definition(flow.name)["attributes"]
    return [one for one in found if one["name"] in names and flow.shows(str(one["name"]))]


def asked(flow: FlowInfo, sheet: TaskSheet, typed: Mapping[str, str] | None = None) -> list[Field]:
    """Return the fields of what the task may write, with the present values or with what was typed."""
    names = [name for name in sheet.writes if name not in flow.internal]
    return values.named_fields(attributes(flow, names), sheet.state_of, typed or {})


def told(flow: FlowInfo, sheet: TaskSheet) -> list[Field]:
    """Return what the task is about: the values that there are, those first that its rule reads.

    The business key comes before them. What the form asks for is left out.
    """
    keys = [one.name for one in flow.attributes if one.business_key]
    names = dict.fromkeys([*keys, *sheet.reads, *sheet.state_of])
    there = [
        n for n in names if n not in {*sheet.writes, *flow.internal} and sheet.state_of.get(n) is not None
    ]
    places = {name: place for place, name in enumerate(there)}
    found = sorted(attributes(flow, there), key=lambda one: places[str(one["name"])])
    return values.named_fields(found, sheet.state_of, {})


def as_shown(fields: Sequence[Field]) -> str:
    """Return the texts with which a form was shown, which it sends back."""
    return json.dumps({one.field: one.text for one in fields})


def changed(
    flow: FlowInfo, sheet: TaskSheet, given: Mapping[str, str]
) -> tuple[list[Field], dict[str, Any], bool]:
    """Return the fields, the values that a person changed, and whether the form is right.

    What was not touched is not written. A value that somebody else has changed since the form was shown is
    told once, beside what was typed.
    """
    typed, before = values.posted(given), _texts(given.get(SHOWN, ""))
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


def _texts(given: str) -> dict[str, str]:
    try:
        found = json.loads(given[:LONGEST]) if given else {}
    except (ValueError, RecursionError):
        return {}
    return {k: v for k, v in found.items() if isinstance(v, str)} if isinstance(found, dict) else {}
