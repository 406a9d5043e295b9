"""Results that were made with the form of a task: the texts of its fields, as the page sends them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.http import QueryDict

from flows import api, json_text
from flows.access import AnyUser, shown_to
from flows.capabilities.tasks.api import TaskSheet
from flows.designer.forms import form_layout as layout
from flows.designer.trial import values
from flows.errors import UnknownTask
from flows.queries.definitions import FlowInfo, flow_by_name
from monitor.tasks import forms

MOST_FIELDS = 2000
NAMES = "task claim seq outcome reason made_at without after transition of via".split()


class FlowsOfRequest(dict[str, FlowInfo | None]):
    """The flows of the results of one request by their names, each of which is read once."""

    def __missing__(self, name: str) -> FlowInfo | None:
        self[name] = flow_by_name(name)
        return self[name]


def content_of(
    user: AnyUser, given: Mapping[str, Any], sent_at: Any, flows: FlowsOfRequest
) -> dict[str, Any]:
    """Return a result of the client as the kernel takes it; `digest` is of what the device has sent."""
    if given.get("discarded"):
        return {"discarded": True}
    found = {name: given[name] for name in NAMES if given.get(name) is not None}
    same = {name: one for name, one in given.items() if name != "without"}
    digest = hashlib.sha256(json_text.encode(same).encode()).hexdigest()
    fields = _fields(given.get("fields"))
    written = {} if given.get("reason") else _values(user, given, fields, flows)
    return found | {"values": written, "sent_at": sent_at, "digest": digest}


def _fields(given: Any) -> QueryDict:
    """Return the pairs of name and text of a form; nothing of what is none."""
    found = QueryDict(mutable=True)
    for one in given[:MOST_FIELDS] if isinstance(given, list) else []:
        if isinstance(one, list) and len(one) == 2 and all(isinstance(each, str) for each in one):
            found.appendlist(*one)
    return found


def _sheet(user: AnyUser, result: Mapping[str, Any]) -> TaskSheet | None:
    """Return the task that a result is about, with the form of its rule.

    One that follows another result names by "of" a task of its instance, as its own is not known yet.
    """
    task = result.get("of" if "after" in result else "task")
    try:
        sheet = api.tasks.read(task if isinstance(task, int) and 0 < task < 2**63 else 0, user.get_username())
    except UnknownTask:
        return None
    if "after" not in result:
        return sheet
    rule = api.offline.rule(sheet.job_id, str(result.get("transition")))
    return None if rule is None else replace(sheet, writes=rule["writes"], form=rule["form"])


def _values(
    user: AnyUser, result: Mapping[str, Any], fields: QueryDict, flows: FlowsOfRequest
) -> dict[str, Any]:
    """Return the changes in the form; a text that is not a value stays one, and is refused."""
    sheet = _sheet(user, result)
    flow = None if sheet is None else flows[sheet.flow]
    if sheet is None or flow is None:
        return {}
    given = forms.posted(sheet, fields)
    typed, before = values.posted(given), forms.texts(given.get(forms.SHOWN, ""))
    flow = shown_to(user, flow, sheet.wid)
    asked = {one.field: one for one in forms.asked(flow, sheet, typed)}
    now = {one.field: one.text for one in forms.asked(flow, sheet)}
    found: dict[str, Any] = {}
    for name, text in typed.items():
        one = asked.get(name)
        # A browser sends some texts otherwise than it got them, such as times without seconds.
        if (text if one is None else one.text) == before.get(name, now.get(name, "")):
            continue
        wrong = one is None or one.error
        found[name.removeprefix("value-")] = (
            text if wrong or one is None else values.as_value(one.text, one.type)
        )
    return found | _files(sheet, found)


def _files(sheet: TaskSheet, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the descriptions of files that have arrived; the device knows only their names and hashes."""
    fields = layout.given_fields(sheet.form) if sheet.form else []
    described = {}
    for name in [str(one["attribute"]) for one in fields if one.get("kind") == "file"]:
        given = found.get(name)
        if isinstance(given, dict) and isinstance(given.get("sha256"), str):
            described[name] = api.offline.file(
                sheet.job_id, name, str(given.get("name") or ""), given["sha256"][:64]
            )
    return {name: one for name, one in described.items() if one is not None}
