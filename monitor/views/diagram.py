"""The diagram of a flow that was imported from BPMN or a graph, with what is there now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from flows import api
from flows.access import flow_or_404, masks
from flows.languages.bpmn import Process
from flows.languages.bpmn.diagram.figures import Drawing, Figure
from flows.queries import instances, jobs, overview
from flows.queries.base import snapshot
from flows.queries.counts import NONE, Count
from flows.queries.definitions import DRAWN, FlowInfo
from monitor import places
from pages.guard import page
from pages.labels import STATUS
from pages.urlparams import number

ENDED = "FAC"


@dataclass(frozen=True)
class Here:
    """One element with what is there now: instances, pending jobs (`count`), whose list is at `address`.

    `failed` are the jobs of it that failed in all attempts, whose list is at `failed_at`.
    `tokens` are those of the instance that is shown, if one is; `last` those that it had when it ended.
    """

    figure: Figure
    address: str = ""
    holds: int = 0
    count: Count = NONE
    tokens: int = 0
    last: int = 0
    failed: int = 0
    failed_at: str = ""

    @property
    def shown(self) -> int:
        """Return the number that the diagram shows."""
        return self.tokens or self.holds

    @property
    def sentence(self) -> str:
        """Return the description in words."""
        name = self.figure.name or self.figure.element
        if self.tokens:
            return ngettext("%(name)s: %(n)s token", "%(name)s: %(n)s tokens", self.tokens) % {
                "name": name,
                "n": self.tokens,
            }
        shown = ngettext("%(name)s: %(n)s instance", "%(name)s: %(n)s instances", self.holds) % {
            "name": name,
            "n": self.holds,
        }
        return f"{shown}, {self.failure}" if self.failed else shown

    @property
    def failure(self) -> str:
        """Return the number of its failed jobs in words."""
        return ngettext("%(n)s out of attempts", "%(n)s out of attempts", self.failed) % {"n": self.failed}


@dataclass(frozen=True)
class Shown:
    """One drawing, with what is at its elements."""

    drawing: Drawing
    behind: tuple[Here, ...]
    before: tuple[Here, ...]


@require_safe
@page
@masks
def diagram(request: HttpRequest, name: str) -> HttpResponse:
    """Return the page with the diagram and the same content as a table."""
    with snapshot():
        context = _context(request, name)
    return render(request, "monitor/diagram.html", context)


@require_safe
@page
@masks
def diagram_changes(request: HttpRequest, name: str) -> HttpResponse:
    """Return the part of the page that changes."""
    with snapshot():
        context = _context(request, name)
    if "shown" not in context:  # the diagram was removed meanwhile
        return JsonResponse({"parts": {}})
    part = render_to_string("monitor/parts/diagram_here.html", context, request)
    return JsonResponse({"parts": {"diagram": part}})


def _context(request: HttpRequest, name: str) -> dict[str, Any]:
    flow = flow_or_404(request.user, name)
    source = api.flows.read_source(flow.name)
    if source is None or source["language"] not in DRAWN:
        return {"flow": flow}
    process, drawn = places.drawn(source)
    wid = number(request.GET.get("instance"))
    tokens = _tokens(flow, wid, process, source["map"]["attributes"]) if wid else Counter[str]()
    there = _Everywhere(flow, _elements(flow, source["map"]), wid, tokens)
    shown = [
        Shown(each, tuple(map(there.at, each.behind)), tuple(map(there.at, each.figures))) for each in drawn
    ]
    everything = [here for each in shown for here in (*each.behind, *each.before)]
    statuses = overview.summary(flow).statuses
    return {
        "flow": flow,
        "process": process,
        "shown": shown,
        "rows": [here for here in everything if here.figure.element in process.elements],
        "instance": wid,
        "ended": there.ended and STATUS[there.ended],
        "examined": there.examined,
        "exceptions": statuses.get("E", NONE),
    }


def _tokens(flow: FlowInfo, wid: int, process: Process, origins: Mapping[str, str]) -> Counter[str]:
    """Return the tokens of one instance by the elements at which they have arrived."""
    found = instances.instance(wid)
    if found is None or found.flow_id != flow.id:
        raise Http404("The flow has no such instance.")
    return places.tokens({v.name: v.text for v in instances.state(flow, wid)}, process, origins)


def _elements(flow: FlowInfo, found: Mapping[str, Mapping[str, str]]) -> dict[int, str]:
    """Return the elements of rules; sources of earlier versions have only those of transitions."""
    rules, transitions = found.get("rules", {}), found["transitions"]
    return {
        rule.tgid: rules.get(rule.name) or transitions.get(rule.transition, "")
        for rule in flow.triggers
        if rule.fires
    }


class _Everywhere:
    """What is at each element: of all instances of the flow, or of one."""

    def __init__(
        self, flow: FlowInfo, elements: Mapping[int, str], wid: int | None, tokens: Counter[str]
    ) -> None:
        self.flow, self.wid, self.tokens = flow, wid, tokens
        found = instances.instance(wid) if wid is not None else None
        self.ended = found.status if found is not None and found.status in ENDED else ""
        holding = api.reasons.count_holding(flow.name)
        self.examined = holding.examined
        self.queues = {queue.transition: queue.pending for queue in jobs.queues(flow.id)}
        self.transitions: dict[str, str] = {}
        self.holds: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        failed = jobs.failed_of_rules(flow.id)
        self.rules: dict[str, dict[str, list[int]]] = {}  # by transition and element
        for rule in flow.triggers:
            element = elements.get(rule.tgid, "")
            if element:
                self.holds[element] += holding.holds.get(rule.tgid, 0)
                self.failed[element] += failed.get(rule.tgid, 0)
                if rule.transition in self.queues:
                    self.transitions[element] = rule.transition
                    self.rules.setdefault(rule.transition, {}).setdefault(element, []).append(rule.tgid)
        self.shared = {
            transition: jobs.pending_of_rules(flow.id, transition)
            for transition, places in self.rules.items()
            if len(places) > 1 and self.queues[transition]
        }

    def pending(self, element: str, transition: str) -> Count:
        """Return the pending jobs of an element, whose transition other elements may have, too."""
        queue = self.queues.get(transition, NONE)
        if transition not in self.shared:
            return queue
        by_rule = self.shared[transition]
        counts = [by_rule.get(tgid, 0) for tgid in self.rules[transition][element]]
        return Count(sum(counts), queue.capped)

    def at(self, figure: Figure) -> Here:
        """Return the facts at an element."""
        element = figure.element
        if self.wid is not None:
            tokens = self.tokens[element]
            if self.ended:  # nothing is there any more
                return Here(figure, last=tokens)
            return Here(figure, reverse("monitor:instance", args=[self.wid]) if tokens else "", tokens=tokens)
        transition = self.transitions.get(element, "")
        if not transition:
            return Here(figure, holds=self.holds[element], count=self.pending(element, transition))
        return Here(
            figure, self._jobs(transition=transition), self.holds[element], self.pending(element, transition),
            failed=self.failed[element], failed_at=self._jobs(transition=transition, state="parked"),
        )  # fmt: skip

    def _jobs(self, **chosen: str) -> str:
        return f"{reverse('monitor:jobs', args=[self.flow.name])}?{urlencode(chosen)}"
