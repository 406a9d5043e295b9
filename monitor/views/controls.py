"""Who changed the controls: rules, webhooks, visibility, keys, users and rights, of all flows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from flows import api, json_text
from flows.access import sees_everything
from flows.capabilities.controls.api import AskedControls, ControlChange
from flows.queries.base import snapshot
from monitor.looks.views import parse_day
from pages.guard import page
from pages.labels import CONTROL
from pages.urlparams import long_number, text

PAGE_SIZE = 50
LONGEST = 300


@dataclass(frozen=True)
class Value:
    """One value that a change made different, as text; None where there was, or is, none."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Row:
    """A change with the values that it made different."""

    change: ControlChange
    title: str
    values: list[Value]


@require_safe
@page
def controls(request: HttpRequest) -> HttpResponse:
    """Return the changes of controls, the newest first, for users who see every flow."""
    if not sees_everything(request.user):
        raise Http404
    first, last = (parse_day(request.GET.get(each)) for each in ("from", "to"))
    given = {name: text(request, name)[:200].strip() for name in ("flow", "control", "actor")}
    asked = AskedControls(**given, since=first, until=last and last + timedelta(days=1))
    with snapshot():
        before = long_number(request.GET.get("before"))
        found = api.controls.list_changes(asked, before=before, limit=PAGE_SIZE + 1)
    shown = found[:PAGE_SIZE]
    context = {
        "asked": asked,
        "rows": [_row(each) for each in shown],
        "older": shown[-1].id if len(found) > PAGE_SIZE else None,
        "narrowed": bool(asked.parts),
        "choices": sorted(((name, str(title)) for name, title in CONTROL.items()), key=lambda e: e[1]),
        "first": f"{first:%Y-%m-%d}" if first else "",
        "last": f"{last:%Y-%m-%d}" if last else "",
    }
    return render(request, "monitor/controls.html", context)


def _row(change: ControlChange) -> Row:
    values = [Value(name, _text(change.before, name), _text(change.after, name)) for name in change.different]
    return Row(change, str(CONTROL.get(change.control, change.control)), values)


def _text(row: Any, name: str) -> str | None:
    if row is None or name not in row:
        return None
    value = row[name]
    found = value if isinstance(value, str) else json_text.encode(value, str)
    return found if len(found) <= LONGEST else f"{found[:LONGEST]}…"
