"""Packages as the client gets them: the parts of the connected page, rendered by its templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string

from flows import api
from flows.access import AnyUser
from flows.capabilities.offline.api import OfflinePackage
from flows.designer.forms import form_layout as layout
from flows.queries.definitions import FlowInfo
from flows.queries.instances import business_keys
from monitor.cases.uploads import limits
from monitor.tasks import forms
from monitor.tasks.choices import taken_along
from monitor.tasks.rows import TaskRow, row, rows


def package_of(
    request: HttpRequest, flow: FlowInfo, found: OfflinePackage, *, follows: bool = False
) -> dict[str, Any]:
    """Return the form of a task with what it is about, the trees of its conditions, and its tokens.

    One that follows another is no task yet: no rows of its queries are taken along.
    """
    asked = forms.asked(flow, found, forms.proposed(found))
    shown = row(found, flow, business_keys(flow, [found.wid]).get(found.wid, ""))
    context = {
        "task": found,
        "row": shown,
        "fields": asked,
        "sections": forms.laid_out(flow, found, asked),
        "about": forms.about(flow, found),
        "outcomes": [name for name in found.outcomes if name != "FAILED"],
        "files_at": "",
        "shown": forms.as_shown(forms.asked(flow, found)),
        "offered": [] if follows else taken_along(request.user, found),
    }
    return {
        "task": found.job_id,
        "version": found.version,
        "claim": found.claim,
        "seq": found.seq,
        "title": str(shown.title),
        "flow": str(shown.flow_title),
        "key": str(shown.key or ""),
        "instance": found.wid,
        "due_at": found.due_at,
        "warn_hours": found.warn_hours,
        "file_most": limits().size,
        "html": render_to_string("monitor/offline/package.html", context, request),
        "conditions": layout.for_browser(found.form, flow, found.state_of) if found.form else None,
    }


def named(tasks: Sequence[Mapping[str, Any]], user: AnyUser) -> list[dict[str, Any]]:
    """Return listed tasks with their words: a device names what it has not transferred yet."""
    known = {one.task.job_id: one for one in rows(api.tasks.listed([one["task"] for one in tasks]), user)}
    return [dict(one) | _words(known[one["task"]]) for one in tasks if one["task"] in known]


def _words(shown: TaskRow) -> dict[str, Any]:
    task = shown.task
    return {
        "title": shown.title,
        "flow": shown.flow_title,
        "key": shown.key,
        "instance": task.wid,
        "due_at": task.due_at,
    }


def chain_of(
    request: HttpRequest, flow: FlowInfo, found: OfflinePackage, chain: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the tasks that can follow one on the device, as packages with the tree of their condition.

    One whose condition reads what the user may not see is left out. `after`: what completing the task sets,
    by outcome; `state`: the values that the conditions read, as the evaluation in a browser reads them.
    """
    tasks = [one for one in chain.get("tasks", ()) if all(map(flow.shows, one["asks"]))]
    if not tasks:
        return None
    read = sorted({name for one in tasks for name in one["asks"]})
    return {
        "after": {
            outcome: {name: layout.plain(value) for name, value in sets.items() if name in read}
            for outcome, sets in chain["after"].items()
        },
        "state": {name: layout.plain(found.state_of.get(name)) for name in read},
        "tasks": [_follower(request, flow, found, one) for one in tasks],
    }


def _follower(
    request: HttpRequest, flow: FlowInfo, found: OfflinePackage, one: Mapping[str, Any]
) -> dict[str, Any]:
    known = {each.name for each in fields(OfflinePackage)}
    sheet = replace(found, **{name: given for name, given in one.items() if name in known}, due_at=None)
    return package_of(request, flow, sheet, follows=True) | {
        "transition": one["transition"],
        "tree": one["tree"],
    }
