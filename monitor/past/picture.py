"""The picture of a flow with what was there at a moment of the history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import ngettext

from flows import api
from flows.access import may
from flows.capabilities.past import queries as past
from flows.capabilities.past.api import OpenJobs, Places
from flows.designer.picture.drawings import data, name
from flows.filters.fields import STATUSES
from flows.filters.grammar import MAX_VALUE
from flows.filters.tree import Condition
from flows.queries.base import snapshot
from flows.queries.counts import NONE, Count
from flows.queries.definitions import FlowInfo
from flows.queries.graph import Graph, Node, graph
from flows.queries.rule_groups import grouped
from monitor.past.as_of import Time
from pages.guard import is_timeout

_STATUS = {"final": "final", "exception": "exception"}


@dataclass(frozen=True)
class PastPlace:
    """One node with what was there: `count` are its open jobs, or at an end instances.

    `address` is the list of the instances on which the condition held (`holds`), or of those at the end.
    """

    node: Node
    name: str
    address: str = ""
    count: Count = NONE
    holds: int | None = None
    jobs: OpenJobs | None = None

    @property
    def failure(self) -> str:
        """Return the number of its failed jobs in words."""
        failed = self.jobs.failed if self.jobs else 0
        return ngettext("%(n)s out of attempts", "%(n)s out of attempts", failed) % {"n": failed}

    def figure(self, at: datetime) -> dict[str, Any]:
        """Return the figure that the script writes into the box; ages are those of that moment."""
        found: dict[str, Any] = {"n": self.count.n, "more": self.count.capped, "href": self.address}
        if self.holds is not None:
            found["holds"] = self.holds
        if self.jobs and self.jobs.oldest:
            found |= {"oldest": self.jobs.oldest.isoformat(), "at": at.isoformat()}
        if self.jobs and self.jobs.failed:
            found["failed"] = self.jobs.failed
        return found


def picture(request: HttpRequest, flow: FlowInfo, time: Time) -> HttpResponse:
    """Return the page with the picture and the same content as a table."""
    context: dict[str, Any] = {"flow": flow, "time": time}
    if time.at is not None:
        try:
            with snapshot():
                context |= _then(
                    flow, graph(flow.id), time, time.at, coded=may(request.user, "design", flow.name)
                )
        except OperationalError as error:
            if not is_timeout(error):
                raise
            context["too_slow"] = True
    return render(request, "monitor/past/picture.html", context)


def _then(flow: FlowInfo, drawn: Graph, time: Time, at: datetime, *, coded: bool) -> dict[str, Any]:
    found = api.figures.places_at(flow.name, at)
    statuses = past.populations([flow.name], at, past.FEW)[flow.name]
    places = [_place(flow, node, found, statuses, time) for node in drawn.nodes]
    return {
        "graph": drawn,
        "data": data(drawn, grouped(drawn, flow), coded=coded),
        "places": places,
        "figures": {each.node.id: each.figure(at) for each in places if each.address},
        "found": found,
    }


def _place(flow: FlowInfo, node: Node, found: Places, statuses: dict[str, Count], time: Time) -> PastPlace:
    if node.kind == "rule" and node.rule:
        jobs, holds = found.jobs.get(int(node.id)), found.holds.get(int(node.id), 0)
        count = Count(jobs.n - jobs.failed if jobs else 0, found.more)
        return PastPlace(node, name(node), _holding(flow, node.rule.predicate, time), count, holds, jobs)
    status = _STATUS.get(node.kind)
    if status is None:
        return PastPlace(node, name(node))
    return PastPlace(
        node, name(node), _list(flow, time, f"status:{status}"), statuses.get(STATUSES[status], NONE)
    )


def _holding(flow: FlowInfo, predicate: str, time: Time) -> str:
    """Return the list of the living instances on which a condition held."""
    chosen = ["status:living"]
    if len(predicate) <= MAX_VALUE:
        chosen.append(Condition("where", "=", (predicate,)).text())
    return _list(flow, time, " ".join(chosen))


def _list(flow: FlowInfo, time: Time, query: str) -> str:
    return f"{reverse('monitor:flow', args=[flow.name])}?{urlencode({'at': time.text, 'q': query})}"
