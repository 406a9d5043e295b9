"""What a person has typed into the form of a task and not sent: kept by the kernel until the task ends."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse

from flows import api
from flows.capabilities.tasks.api import TaskSheet
from flows.designer import values
from flows.errors import Refused
from flows.queries.definitions import FlowInfo
from monitor.tasks import forms


def kept(sheet: TaskSheet, person: str) -> tuple[dict[str, str], dict[str, str], datetime | None]:
    """Return the texts that were typed and those that the form had before, by field, and since when."""
    found = api.read_task_draft(sheet.job_id, person)
    if found is None:
        return {}, {}, None
    pairs = {
        name: pair for name, pair in found["fields"].items() if isinstance(pair, list) and len(pair) == 2
    }
    typed = {name: str(pair[0]) for name, pair in pairs.items()}
    before = {name: str(pair[1]) for name, pair in pairs.items()}
    return typed, before, datetime.fromisoformat(found["saved_at"])


def typed_fields(flow: FlowInfo, sheet: TaskSheet, given: Mapping[str, str]) -> dict[str, list[str]]:
    """Return what differs from the form as it was shown, as a draft has it: the text, and the one before."""
    typed, before = values.posted(given), forms.texts(given.get(forms.SHOWN, ""))
    now = {one.field: one.text for one in forms.asked(flow, sheet)}
    was = {name: before.get(name, text) for name, text in now.items()}
    return {
        name: [text.replace("\x00", ""), was[name]]
        for name, text in typed.items()
        if name in now and text != was[name]
    }


def keep(request: HttpRequest, flow: FlowInfo, sheet: TaskSheet) -> HttpResponse:
    """Keep what was typed; answer whether there is a draft, or why it could not be kept."""
    found: Any = typed_fields(flow, sheet, forms.posted(sheet, request.POST))
    try:
        there = api.keep_task_draft(sheet.job_id, request.user.get_username(), found)
    except Refused as refused:
        return JsonResponse({"error": refused.sentence}, status=refused.http)
    return JsonResponse({"kept": there})


def discard(request: HttpRequest, _flow: FlowInfo, sheet: TaskSheet) -> HttpResponse:
    """Delete the draft, and show the form without it."""
    api.keep_task_draft(sheet.job_id, request.user.get_username(), {})
    return HttpResponseRedirect(reverse("monitor:task", args=[sheet.job_id]))


def letters(request: HttpRequest, flow: FlowInfo, sheet: TaskSheet) -> HttpResponse:
    """Answer what each field is with what was typed: what a browser cannot evaluate itself."""
    if sheet.owner != request.user.get_username():
        return JsonResponse({}, status=403)
    _fields, data, _is_right = forms.changed(flow, sheet, forms.posted(sheet, request.POST))
    return JsonResponse(api.task_form(sheet.job_id, data))
