"""The endpoint of what an instance of a graph did: its tree of threads, or the walk of the scheduler."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import HttpRequest
from ninja import Schema

from flows import api as kernel
from flows.languages import graph
from flows.languages.graph.history import visits, walked
from flows.models import TraceEntry
from flows.queries.base import snapshot
from monitor.api.problems import Problem
from monitor.api.routing import READ_SHOWN, call_of, router
from monitor.api.scalars import Flag

MOST_READ = 10_000
READ = ("seq", "written_by", "state", "before")


class VisitOut(Schema):
    """A step: its node (null for a repair, or the start), and the edges whose tokens it moved.

    `address` has the new tokens behind the forks that lead to them; `waiting` are the edges with tokens then.
    """

    seq: int
    node: str | None
    consumed: list[str]
    produced: list[str]
    waiting: list[str]
    address: str


class WalkStepOut(Schema):
    """A step of the scheduler: the edge that it executed (null at first), threads and pointer then."""

    number: int
    executed: str | None
    threads: list[str]
    pointer: int
    new: list[str]
    address: str


class WalkOut(Schema):
    """A walk and how it ends; "undecided" at the first node of its order that has not fired yet."""

    steps: list[WalkStepOut]
    outcome: str
    waiting: list[str]
    repeats: int | None


class GraphHistoryOut(Schema):
    """The steps of an instance in the tree of threads; `cut`: there are more. `walk` is null unless asked."""

    steps: list[VisitOut]
    cut: bool
    walk: WalkOut | None


@router.get(
    "/instances/{int:wid}/graph", response=GraphHistoryOut, auth=READ_SHOWN, summary="History in a graph"
)
def graph_history(request: HttpRequest, wid: int, walk: Flag = False) -> Any:
    """Return the first 10,000 steps of an instance in its graph, with `walk` also in that order."""
    with snapshot():
        _instance, flow = call_of(request).caller.instance_or_404(wid)
        source = kernel.flows.read_source(flow.name)
        if source is None or source["language"] != "graph":
            raise Problem(404, "The present version of this flow was not imported as a graph.")
        drawn = graph.read(source["text"], source["format"])
        read = TraceEntry.objects.filter(wid=wid).order_by("seq")
        found = visits(drawn, source["map"], read.only(*READ)[: MOST_READ + 1])
    shown = found[:MOST_READ]
    return {
        "steps": [asdict(visit) for visit in shown],
        "cut": len(found) > len(shown),
        "walk": asdict(walked(drawn, shown)) if walk else None,
    }
