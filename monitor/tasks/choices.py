"""The rows that a query of a form offers, to persons who may see them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _

from flows import api
from flows.access import AnyUser, may_see, shown_to
from flows.capabilities.tasks.api import TaskSheet
from flows.designer.forms import form_layout as layout
from flows.errors import Refused
from flows.queries.definitions import FlowInfo, flow_by_name
from monitor.tasks import forms

SHOWN = 50
TAKEN_ALONG = 200


def refusal(user: AnyUser, sheet: TaskSheet, attribute: str) -> str:
    """Return why the user gets no rows of a field's query; "" if there is no reason.

    A query shows nothing that the user could not see in the lists of its flow.
    """
    fields = layout.given_fields(sheet.form) if sheet.form else []
    field = next((each for each in fields if each["attribute"] == attribute and each.get("query")), None)
    if field is None:
        return _("The form has no such field.")
    name = str(field["query"].get("flow") or sheet.flow)
    flow = flow_by_name(name) if may_see(user, name) else None
    if flow is None:
        return _("You may not see the rows of “%(flow)s”. Ask an administrator for the right.") % {
            "flow": name
        }
    seen = shown_to(user, flow)
    if not all(seen.shows(str(each)) for each in field["query_reads"] or ()):
        return _("The query reads values of “%(flow)s” that you may not see.") % {"flow": name}
    return ""


def choices(request: HttpRequest, flow: FlowInfo, sheet: TaskSheet) -> HttpResponse:
    """Answer the rows that a field offers with what was typed."""
    if sheet.owner != request.user.get_username():
        return JsonResponse({}, status=403)
    attribute = request.POST.get("of", "")[:100]
    why = refusal(request.user, sheet, attribute)
    if why:
        return JsonResponse({"error": why}, status=403)
    _fields, data, _is_right = forms.changed(flow, sheet, forms.posted(sheet, request.POST))
    search = request.POST.get("search", "")[:200]
    try:
        return JsonResponse(offered(sheet.job_id, attribute, data, search, SHOWN))
    except Refused as refused:
        return JsonResponse({"error": refused.sentence}, status=refused.status)


def taken_along(user: AnyUser, sheet: TaskSheet) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the rows that each query of a form offers now, at most `TAKEN_ALONG` of each, for a device.

    A field whose rows the user may not see, or whose query fails, has none: the kernel checks what is typed.
    """
    found = []
    for field in layout.given_fields(sheet.form) if sheet.form else []:
        name = str(field["attribute"])
        if field.get("query") and field["writable"] and not refusal(user, sheet, name):
            with suppress(Refused):
                found.append((name, offered(sheet.job_id, name, {}, "", TAKEN_ALONG)["items"]))
    return found


def offered(task: int, attribute: str, data: Mapping[str, Any], search: str, limit: int) -> dict[str, Any]:
    """Return the rows of a query; values are texts, as a control has them. Raises Refused."""
    found = api.task_forms.choices(task, attribute, data, search, limit)
    items = [
        {"value": str(each["value"]), "texts": each["texts"], "instance": each["instance"]}
        for each in found["items"]
    ]
    return {"items": items, "complete": found["complete"]}
