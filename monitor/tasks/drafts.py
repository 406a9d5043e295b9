"""What a person has typed into the form of a task and not sent: kept by the kernel until the task ends."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse

from flows import api
from flows.capabilities.tasks.api import TaskSheet
from flows.designer.trial import values
from flows.designer.trial.values import Field
from flows.errors import Refused
from flows.queries.definitions import FlowInfo
from monitor.tasks import forms

MOST = 200  # the fields of a form


def kept(sheet: TaskSheet, person: str) -> tuple[dict[str, str], dict[str, str], datetime | None]:
    """Return the texts that were typed and those that the form had before, by field, and since when."""
    found = api.task_forms.read_draft(sheet.job_id, person)
    if found is None:
        return {}, {}, None
    pairs = {
        name: pair for name, pair in found["fields"].items() if isinstance(pair, list) and len(pair) == 2
    }
    typed = {name: str(pair[0]) for name, pair in pairs.items()}
    before = {name: str(pair[1]) for name, pair in pairs.items()}
    return typed, before, datetime.fromisoformat(found["saved_at"])


def typed_fields(flow: FlowInfo, sheet: TaskSheet, given: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the differences from the form as it was shown: for each field the text, and the one before."""
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
    given = forms.posted(sheet, request.POST)
    found: Any = typed_fields(flow, sheet, given)
    try:
        person, names = request.user.get_username(), touched(request)
        there = api.task_forms.keep_draft(sheet.job_id, person, found, touched=names)
    except Refused as refused:
        return JsonResponse({"error": refused.sentence}, status=refused.status)
    if names is None:
        return JsonResponse({"kept": there})
    return JsonResponse({"kept": there, "others": bool(others(sheet, person, given, names))})


def touched(request: HttpRequest) -> list[str] | None:
    """Return the fields that were changed in the tab that sends a form; None from a page without scripts."""
    if "touched" not in request.POST:
        return None
    return [f"value-{name}" for name in request.POST["touched"].split() if name][:MOST]


def others(
    sheet: TaskSheet, person: str, given: Mapping[str, str], names: Collection[str]
) -> dict[str, tuple[str, str]]:
    """Return the texts typed in another tab, with those before, of fields that differ here."""
    typed, before, _since = kept(sheet, person)
    sent = values.posted(given)
    return {
        name: (text, before[name])
        for name, text in typed.items()
        if name not in names and name in sent and sent[name] != text
    }


def of_another_tab(request: HttpRequest, flow: FlowInfo, sheet: TaskSheet) -> list[Field]:
    """Return the fields of a form that is sent with what was typed in another tab; none if nothing was."""
    names = touched(request)
    if names is None or sheet.owner != request.user.get_username():
        return []
    given = forms.posted(sheet, request.POST)
    found = others(sheet, request.user.get_username(), given, names)
    if not found:
        return []
    return forms.asked(
        flow, sheet, values.posted(given) | {name: text for name, (text, _was) in found.items()}
    )


def discard(request: HttpRequest, _flow: FlowInfo, sheet: TaskSheet) -> HttpResponse:
    """Delete the draft, and show the form without it."""
    api.task_forms.keep_draft(sheet.job_id, request.user.get_username(), {})
    return HttpResponseRedirect(reverse("monitor:task", args=[sheet.job_id]))


def letters(request: HttpRequest, flow: FlowInfo, sheet: TaskSheet) -> HttpResponse:
    """Answer what each field is with what was typed: what a browser cannot evaluate itself."""
    if sheet.owner != request.user.get_username():
        return JsonResponse({}, status=403)
    _fields, data, _is_right = forms.changed(flow, sheet, forms.posted(sheet, request.POST))
    return JsonResponse(api.task_forms.form(sheet.job_id, data))
