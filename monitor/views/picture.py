"""The picture of a flow with what is there now: what waits at each rule, and what its exceptions lack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from flows import api
from flows.access import flow_or_404, may
from flows.capabilities.reasons import sentences
from flows.capabilities.reasons.many import Holding, Lack
from flows.designer.picture.drawings import data, name
from flows.queries import jobs, overview
from flows.queries.base import snapshot
from flows.queries.counts import NONE, Count
from flows.queries.definitions import FlowInfo
from flows.queries.graph import Graph, Node, graph
from flows.queries.jobs import Queue
from flows.queries.rule_groups import grouped
from monitor.past import picture as past_picture
from monitor.past.as_of import from_slider, time_of
from pages.addresses import address as address_of
from pages.guard import page

# How many exceptions are examined; each of them is listed.
EXCEPTIONS = 100
_STATUS = {"final": "F", "exception": "E"}


@dataclass(frozen=True)
class Place:
    """One node with what is there now: instances or waiting jobs (`count`), whose list is at `address`.

    `holds` is the number of examined instances on which the condition is true, None for what is no rule.
    """

    node: Node
    name: str
    address: str
    count: Count
    queue: Queue | None = None
    holds: int | None = None
    idle: bool = False

    @property
    def figure(self) -> dict[str, Any]:
        """Return the figure that the script writes into the box."""
        found: dict[str, Any] = {"n": self.count.n, "more": self.count.capped, "href": self.address}
        if self.holds is not None:
            found["holds"] = self.holds
        if self.queue and self.queue.oldest:
            found["oldest"] = self.queue.oldest.isoformat()
        if self.queue and self.queue.parked:
            found["failed"] = self.queue.parked.n
        return found


@dataclass(frozen=True)
class ShownLack:
    """Exceptions that lack the same: what their nearest rule needs, in words."""

    rule: str
    needed: list[str]
    wids: list[int]


@require_safe
@page
def picture(request: HttpRequest, name: str) -> HttpResponse:
    """Return the page with the picture and the same content as a table, now or as of a moment (`at`)."""
    flow = flow_or_404(request.user, name)
    time = time_of(request, [name])
    if moved := from_slider(request, time):
        return moved
    if time.past:
        return past_picture.picture(request, flow, time)
    with snapshot():
        drawn = graph(flow.id)
        context = _present(flow, drawn)
    context["diagram"] = flow.has_diagram
    coded = may(request.user, "design", flow.name)
    context |= {"graph": drawn, "data": data(drawn, grouped(drawn, flow), coded=coded), "time": time}
    return render(request, "monitor/picture.html", context)


@require_safe
@page
def picture_changes(request: HttpRequest, name: str) -> HttpResponse:
    """Return the figures of the boxes, and the parts of the page that have them as text."""
    with snapshot():
        flow = flow_or_404(request.user, name)
        context = _present(flow, graph(flow.id))
    names = {"places": "picture_places", "lacks": "picture_lacks"}
    found = {k: render_to_string(f"monitor/parts/{v}.html", context, request) for k, v in names.items()}
    return JsonResponse({"figures": context["figures"], "parts": found})


def _present(flow: FlowInfo, drawn: Graph) -> dict[str, Any]:
    holding = api.reasons.count_holding(flow.name)
    places = _places(flow, drawn, holding)
    return {
        "flow": flow,
        "places": places,
        "figures": {place.node.id: place.figure for place in places if place.address},
        "examined": holding.examined,
        "lacks": _lacks(flow, drawn, api.reasons.explain_exceptions(flow.name, limit=EXCEPTIONS)),
        "most_exceptions": EXCEPTIONS,
    }


def _places(flow: FlowInfo, drawn: Graph, holding: Holding) -> list[Place]:
    queues = {queue.transition: queue for queue in jobs.queues(flow.id)}
    found = overview.summary(flow)
    idle = {item.transition for item in found.unserved}
    return [
        _rule(flow, node, queues, holding, idle)
        if node.kind == "rule" and node.rule
        else _end(flow, node, found.statuses)
        for node in drawn.nodes
    ]


def _rule(flow: FlowInfo, node: Node, queues: Mapping[str, Queue], holding: Holding, idle: set[str]) -> Place:
    transition = node.rule.transition if node.rule else ""
    queue = queues.get(transition)
    address = f"{address_of('monitor:jobs', flow.name)}?{urlencode({'transition': transition})}"
    return Place(
        node,
        name(node),
        address,
        queue.pending if queue else NONE,
        queue,
        holding.holds.get(int(node.id), 0),
        transition in idle,
    )


def _end(flow: FlowInfo, node: Node, statuses: Mapping[str, Count]) -> Place:
    """Return a node that is no rule; only the ends have instances."""
    status = _STATUS.get(node.kind)
    if status is None:
        return Place(node, name(node), "", NONE)
    address = f"{address_of('monitor:flow', flow.name)}?status={status}"
    return Place(node, name(node), address, statuses.get(status, NONE))


def _lacks(flow: FlowInfo, drawn: Graph, found: list[Lack]) -> list[ShownLack]:
    labels = flow.titles
    titles = {node.id: name(node) for node in drawn.nodes}
    return [
        ShownLack(
            titles.get(str(lack.trigger), str(lack.trigger)),
            [sentences.needed(one, labels) for one in lack.obstacles],
            list(lack.wids),
        )
        for lack in found
    ]
