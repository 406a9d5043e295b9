"""Looks at masked values: showing them with a reason, and the audit of a flow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from flows import api
from flows.access import flow_or_404, instance_or_404, masks, rights
from flows.capabilities.looks.api import LONGEST_REASON, MOST_ATTRIBUTES, Asked, Change, Look, Viewer
from flows.errors import Refused
from flows.queries import instances
from flows.queries.base import snapshot
from flows.queries.definitions import FlowInfo
from flows.users import disclosure
from monitor.export.formats import Column
from monitor.views.export import MOST_ROWS, download, refused
from pages.guard import page
from pages.urlparams import long_number, number, one_of, readable, text, unusable

PAGE_SIZE = 50
BATCH = 1_000
LOOKS = ("at", "actor", "way", "wid", "attributes", "reason", "address", "instances")
CHANGES = ("at", "actor", "done", "wid", "seq", "attributes", "reason")
KINDS = {"looks": LOOKS, "changes": CHANGES}


@require_POST
@page
@masks
def look(request: HttpRequest, wid: int) -> HttpResponse:
    """Record a look at masked values of an instance and show them: as a page, or parts of one as JSON."""
    found, flow = instance_or_404(request.user, wid)
    granted = rights(request.user, flow.name)
    disclosure.no_values()
    if "look" not in granted:
        raise PermissionDenied(_("You may not look at masked values of this flow."))
    viewer = Viewer(request.user.get_username(), "page", "reveal" in granted, [flow.name], request.path)
    asked = request.POST.getlist("attribute")[: MOST_ATTRIBUTES + 1]
    names = [each.replace("\x00", "")[:200] for each in asked]
    reason = request.POST.get("reason", "").replace("\x00", "")[: LONGEST_REASON + 1]
    context: dict[str, Any] = {"flow": flow, "instance": found, "names": names, "reason": reason}
    try:
        api.looks.look_at(wid, names, reason, viewer)
    except Refused as refused:
        context["error"] = refused
    else:
        context["values"] = _values(flow, wid, names)
    return _answer(request, context)


def _values(flow: FlowInfo, wid: int, names: list[str]) -> list[instances.Value]:
    all_ = replace(flow, attributes=flow.attributes + flow.concealed, concealed=())
    return [each for each in instances.state(all_, wid) if each.name in names]


def _answer(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    error = context.get("error")
    status = 400 if error else 200
    if not request.headers.get("Accept", "").startswith("application/json"):
        return render(request, "monitor/looks/look.html", context, status=status)
    if error:
        return JsonResponse({"error": f"{error} {error.hint}"}, status=status)
    shown = {
        each.name: render_to_string("monitor/looks/revealed.html", {"v": each}, request)
        for each in context["values"]
    }
    return JsonResponse({"values": shown})


@dataclass(frozen=True)
class Question:
    """What the audit is asked for; `first` and `last` are days."""

    kind: str
    asked: Asked
    first: str
    last: str


@require_safe
@page
@masks
def audit(request: HttpRequest, name: str) -> HttpResponse:
    """Return the looks at values of a flow, or the changes that people made, the newest first."""
    flow, question = _asked(request, name)
    before = request.GET.get("before", "")
    with snapshot():
        found = READERS[question.kind](flow.name, question.asked, before, PAGE_SIZE + 1)
    rows = found[:PAGE_SIZE]
    context = {
        "flow": flow,
        "question": question,
        "first": question.first,
        "last": question.last,
        "rows": rows,
        "older": _place(rows[-1]) if len(found) > PAGE_SIZE else "",
        "narrowed": bool(question.asked.parts),
    }
    return render(request, "monitor/looks/audit.html", context)


@require_safe
@page
@masks
def audit_file(request: HttpRequest, name: str, ending: str) -> HttpResponseBase:
    """Return the same as a file."""
    flow, question = _asked(request, name)
    days, wid = readable(parse_day), readable(number)
    if problem := unusable(request, {"kind": one_of(KINDS), "from": days, "to": days, "wid": wid}):
        return refused(problem)
    columns = [Column(each, each) for each in KINDS[question.kind]]
    return download(request, f"{name}-{question.kind}", ending, columns, _rows(flow.name, question))


def _rows(flow: str, question: Question) -> Iterator[list[Any]]:
    before = ""
    for _batch in range(MOST_ROWS // BATCH):
        with snapshot():
            found = READERS[question.kind](flow, question.asked, before, BATCH)
        for each in found:
            row = asdict(each) | {"attributes": ", ".join(each.attributes)}
            yield [row[name] for name in KINDS[question.kind]]
        if len(found) < BATCH:
            return
        before = _place(found[-1])


def _asked(request: HttpRequest, name: str) -> tuple[FlowInfo, Question]:
    """Return the flow and the question. Raises PermissionDenied for users who may not reveal its values."""
    flow = flow_or_404(request.user, name)
    disclosure.no_values()
    if "reveal" not in rights(request.user, name):
        raise PermissionDenied(_("Only users who may see all values of the flow see its audit."))
    kind = text(request, "kind")
    first, last = (parse_day(request.GET.get(each)) for each in ("from", "to"))
    asked = Asked(
        text(request, "actor")[:200].strip(),
        number(request.GET.get("wid")),
        text(request, "attribute")[:200],
        first,
        last and last + timedelta(days=1),
    )
    days = [(each and f"{each:%Y-%m-%d}") or "" for each in (first, last)]
    return flow, Question(kind if kind in KINDS else "looks", asked, *days)


def parse_day(given: str | None) -> datetime | None:
    """Return the beginning of a day in the reader's zone; None for anything else."""
    try:
        day = parse_date(given or "")
    except ValueError:
        return None
    if day is None or not 1900 <= day.year <= 2200:
        return None
    return datetime(day.year, day.month, day.day, tzinfo=timezone.get_current_timezone())


def _place(row: Look | Change) -> str:
    """Return where the page after this row begins."""
    return str(row.id) if isinstance(row, Look) else f"{row.at.isoformat()}~{row.wid}~{row.seq}"


def _looks(flow: str, asked: Asked, before: str, limit: int) -> list[Look]:
    return api.looks.list(flow, asked, before=long_number(before), limit=limit)


def _changes(flow: str, asked: Asked, before: str, limit: int) -> list[Change]:
    return api.looks.list_changes(flow, asked, before=_last(before), limit=limit)


def _last(before: str) -> Change | None:
    """Return the last row of the page before; None for a text that is no place."""
    at, wid, seq = [*before.split("~"), "", "", ""][:3]
    try:
        moment, of, step = datetime.fromisoformat(at), number(wid), number(seq)
    except ValueError:
        return None
    if moment.tzinfo is None or of is None or step is None:
        return None
    return Change(moment, of, step, "", "", "", ())


READERS: dict[str, Callable[[str, Asked, str, int], list[Any]]] = {"looks": _looks, "changes": _changes}
