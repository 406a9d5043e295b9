"""Analysis of a flow: what its transitions took, the paths of its instances, and what followed what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flows import api
from flows.access import flow_or_404, visible_flows
from flows.capabilities.figures import analysis, logs, paths
from flows.capabilities.figures.analysis import Sample
from flows.capabilities.figures.api import TransitionFigures
from flows.capabilities.figures.histories import MOST_CASES, Children, Wanted, count
from flows.filters import And, Condition, Node, Or
from flows.filters.grammar import MAX_TEXT
from flows.filters.tree import all_of
from flows.queries.base import dated_snapshot
from flows.queries.definitions import FlowInfo
from flows.queries.graph import rules
from flows.queries.instances import business_keys
from flows.users import disclosure
from monitor import windows
from monitor.figures import comparison
from monitor.views import export
from monitor.windows import Window
from pages.guard import page
from pages.urlparams import number, text

LAST_PAGE = 200
MOST_PATHS = 20
MOST_ORDERS = 20


@dataclass(frozen=True)
class PathRow:
    """A path with the filters of its instances, of the slower half and of each order; its earlier share."""

    path: paths.Path
    query: str
    slower: str
    orders: list[tuple[paths.Order, str]]
    was: float

    @property
    def more(self) -> int:
        """Return how many orders are not shown."""
        return len(self.path.orders) - len(self.orders)


@require_safe
@page
def flow_analysis(request: HttpRequest, name: str) -> HttpResponse:
    """Return the page of the analysis of a window."""
    with dated_snapshot() as at:
        flow = flow_or_404(request.user, name)
        window = windows.of_request(request, at)
        sample = analysis.sample(flow.id, window.since, min(window.until, at))
        earlier = windows.earlier(window, against := text(request, "against"), at)
        context = _transitions(flow, window, earlier) | _paths(flow, sample, earlier)
        tiles = comparison.tiles(flow.name, window, earlier)
    context["happened"] = bool(
        sample.instances or context["transitions"] or any(each.value for each in tiles)
    )
    context |= {"flow": flow, "window": window, "windows": windows.NAMES, "sample": sample}
    context |= {"earlier": earlier, "against": against if earlier else "", "choices": windows.AGAINST}
    context["tiles"] = tiles
    context["diagram"] = flow.has_diagram
    context["most"] = analysis.NEWEST_INSTANCES
    context["file_query"] = urlencode({"window": window.name} if window.name else _days(window))
    return render(request, "monitor/figures/analysis.html", context)


def _days(window: Window) -> dict[str, str]:
    """Return the parameters of days that were chosen."""
    days = {"from": window.first, "to": window.last}
    return {name: day.isoformat() for name, day in days.items() if day is not None}


@require_safe
@page
def history_file(request: HttpRequest, name: str, ending: str) -> HttpResponseBase:
    """Return the histories of the instances of the window as a file: those that became final, as the page."""
    formats = {end: format_ for format_, end in logs.ENDINGS.items()}
    with dated_snapshot() as at:
        flow = flow_or_404(request.user, name)
        if ending not in formats:
            raise Http404
        window = windows.of_request(request, at)
        wanted = Wanted(flow.id, window.since, min(window.until, at), final=True)
        number = count(wanted)
        children = Children(visible_flows(request.user))
    if number > MOST_CASES:
        text = _("The window has more than %(limit)s instances. Choose a shorter one.")
        return export.too_large(text % {"limit": f"{MOST_CASES:,}"})
    disclosure.counted(number, is_file=True)
    kind, write = logs.FORMATS[formats[ending]]
    return export.sent(request, f"{name}.{ending}", kind, write(name, wanted, at, children))


def _transitions(flow: FlowInfo, window: Window, earlier: Window | None) -> dict[str, object]:
    """Return the transitions of the window, the slowest first, with those of the earlier one."""
    found = api.figures.of_transitions(flow.name, window.since, window.until)
    was = _by_name(api.figures.of_transitions(flow.name, earlier.since, earlier.until)) if earlier else {}
    slowest = sorted(found, key=lambda each: (-(each.elapsed_p95 or 0), each.transition))
    rated = sorted((each for each in found if each.failed), key=lambda each: -each.error_rate)
    return {
        "transitions": [(each, was.get(each.transition)) for each in slowest],
        "measured": any(each.ran_p50 is not None for each in found),
        "slowest": _slowest(slowest),
        "rated": [(each, was.get(each.transition)) for each in rated],
    }


def _by_name(found: list[TransitionFigures]) -> dict[str, TransitionFigures]:
    return {each.transition: each for each in found}


def _slowest(found: list[TransitionFigures]) -> TransitionFigures | None:
    return next((each for each in found if each.elapsed_p95 is not None), None)


def _paths(flow: FlowInfo, sample: Sample, earlier: Window | None) -> dict[str, object]:
    """Return the context of the sample, each number with the filter of its instances."""
    if not sample.instances:
        return {}
    following = analysis.following(sample, rules(flow.id))
    parallel = paths.parallel_pairs(sample, following)
    found = paths.paths(sample, parallel)
    was = _shares(flow, earlier, parallel)
    return {
        "query": query(sample),
        "paths": [
            PathRow(
                each,
                _short(query(sample, _taken(each))),
                _short(query(sample, _taken(each), Condition("took", ">", (f"{each.p50:.0f}s",)))),
                [(order, query(sample, _on("path", order.text))) for order in each.orders[:MOST_ORDERS]],
                was.get(paths.normal_form(each.orders[0].transitions, parallel), 0.0),
            )
            for each in found[:MOST_PATHS]
        ],
        "different": len(found),
        "keys": business_keys(flow, [each.wid for each in sample.slowest]),
        "redone": [(each, query(sample, _on("redid", each.transition))) for each in analysis.redone(sample)],
        "following": [(each, query(sample, _on("followed", each.text))) for each in following],
    }


def _shares(flow: FlowInfo, earlier: Window | None, parallel: Collection[paths.Pair]) -> dict[object, float]:
    """Return the share of each path of an earlier window, by its normal form."""
    found: dict[object, float] = defaultdict(float)
    if earlier:
        was = analysis.shares(analysis.sample(flow.id, earlier.since, earlier.until))
        for text, share in was.items():
            found[paths.normal_form(paths.names_of(text), parallel)] += share
    return found


def _taken(path: paths.Path) -> Node:
    """Return the condition of the instances that took a path, in any of its orders."""
    return Condition("path", "=", path.texts) if path.texts[0] else Condition("path", "no")


def _short(query: str) -> str:
    """Return the text of a filter; "" if it is too long for one."""
    return query if len(query) <= MAX_TEXT else ""


def _on(field: str, value: str) -> Node:
    return Condition(field, "=", (value,)) if value else Condition(field, "no")


def query(sample: Sample, *more: Node) -> str:
    """Return the text of the filter that finds exactly the instances of a sample that meet the rest."""
    last = sample.instances[-1]
    since = last.finished_at if sample.cut else sample.since
    at = windows.written(last.finished_at)
    after = Or((Condition("finished", ">", (at,)), Condition("id", ">=", (str(last.wid),))))
    tree = all_of(
        And((Condition("status", "=", ("final",)), Condition("finished", ">=", (windows.written(since),)))),
        Condition("finished", "<", (windows.written(sample.until),)),
        after if sample.cut else None,
        *more,
    )
    return tree.text() if tree else ""


@require_safe
@page
def steps(request: HttpRequest, name: str) -> HttpResponse:
    """Return the list of the steps of a transition in a window, or of its failed attempts."""
    transition, failed = text(request, "transition")[:63], request.GET.get("of") == "failed"
    place = min(max(number(request.GET.get("page")) or 1, 1), LAST_PAGE)
    with dated_snapshot() as at:
        flow = flow_or_404(request.user, name)
        since, until = windows.moments(request, at)
        found, more = analysis.done(flow.id, transition, since, until, place, failed=failed)
    context = {"flow": flow, "transition": transition, "failed": failed, "since": since, "until": until}
    context |= {"items": found, "next": place + 1 if more and place < LAST_PAGE else None, "page": place}
    return render(request, "monitor/figures/steps.html", context)
