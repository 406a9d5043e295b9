"""Reports of cases: counts over a period, what a rule would have prevented, and both as files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flows import api
from flows.access import masks
from flows.capabilities.cases.reports import COUNTED_BY, MOST_EXAMINED, ReportRow
from flows.queries.base import now
from monitor import windows
from monitor.cases.report_rows import RULE_FIELDS, TITLES, prevented, row, rule_cells
from monitor.cases.rows import names
from monitor.cases.views import seen_flows, tab_facts
from monitor.export.formats import Column
from monitor.views.export import download, refused
from pages.guard import page
from pages.urlparams import one_of, readable, text, unusable

WINDOWS = ("today", "week", "month")
COLUMNS = [
    Column(one.name, one.name.replace("_", " "), "numeric" if one.name.endswith("seconds") else "text")
    for one in fields(ReportRow)
]

# How the values of a file's parameters are read.
ASKED = {
    "by": one_of(COUNTED_BY),
    "from": readable(windows.day_of),
    "of": one_of(["rules"]),
    "to": readable(windows.day_of),
    "window": one_of(windows.NAMES),
}
RULE_COLUMNS = [Column(name, name.replace("_", " "), "text") for name in RULE_FIELDS]


@require_safe
@page
@masks
def reports(request: HttpRequest) -> HttpResponse:
    """Return the cases of a period, counted by one thing."""
    window, by, flows = _asked(request)
    found = api.cases.report(by, window.since, window.until, flows)
    alike = prevented(api.repairs.preventable_cases(window.since, window.until, flows), request.user)
    named = names({one.value for one in found} if by == "flow" else set())
    context = {
        "tab": "reports",
        **tab_facts(request.user),
        "window": window,
        "windows": WINDOWS,
        "by": by,
        "choices": {name: TITLES[name] for name in COUNTED_BY},
        "rows": [row(by, one, named) for one in found],
        "by_title": TITLES[by],
        "alike": alike,
        "flow": text(request, "flow"),
        "cut": bool(found) and found[0].examined >= MOST_EXAMINED,
        "most": MOST_EXAMINED,
    }
    return render(request, "monitor/cases/reports.html", context)


@require_safe
@page
@masks
def export(request: HttpRequest, ending: str) -> HttpResponseBase:
    """Return a report as a file; with `of` rules what rules would have prevented."""
    if problem := unusable(request, ASKED):
        return refused(problem)
    window, by, flows = _asked(request)
    if window.cut:
        return refused(_("A window has at most 366 days: nothing is downloaded."))
    if text(request, "of") == "rules":
        alike = prevented(api.repairs.preventable_cases(window.since, window.until, flows), request.user)
        return download(request, "proposed-rules", ending, RULE_COLUMNS, map(rule_cells, alike))
    found = api.cases.report(by, window.since, window.until, flows)
    return download(request, f"cases-by-{by}", ending, COLUMNS, _cells(found))


def _cells(found: list[ReportRow]) -> Iterator[list[Any]]:
    for one in found:
        yield [getattr(one, column.name) for column in COLUMNS]


def _asked(request: HttpRequest) -> tuple[windows.Window, str, list[str] | None]:
    """Return the period, what is counted by, and the flows that the user sees; None for all flows."""
    by = text(request, "by")
    window = windows.of_request(request, now(), "month")
    return window, by if by in COUNTED_BY else COUNTED_BY[0], seen_flows(request)
