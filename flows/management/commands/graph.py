"""manage.py graph walk|check FILE, graph history WID: the steps of a graph, its problems, and its history."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.errors import UnknownInstance
from flows.languages import graph
from flows.languages.graph.history import visits, walked
from flows.management.base import FlowCommand, Rejected, Usage
from flows.management.files import read_text
from flows.models import Instance, TraceEntry

_MOST = graph.MOST_STEPS
_HEADERS = ("step", "executed", "threads", "pointer", "new threads")


class Command(FlowCommand):
    help = "Shows in which steps a scheduler walks a graph, its problems, or what an instance did in it."
    reads = {
        "walk": "steps choose",
        "check": "",
        "history": "walk",
    }

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("verb", choices=("walk", "check", "history"))
        parser.add_argument(
            "file",
            type=Path,
            help="a .json or .yaml file, or a text with the lists R and N; history: number of an instance",
        )
        parser.add_argument(
            "--steps", type=int, default=0, metavar="N", help="walk: the first N, also of an endless graph"
        )
        parser.add_argument(
            "--walk",
            action="store_true",
            help="history: the walk of the scheduler that does what the instance did",
        )
        parser.add_argument(
            "--choose",
            action="append",
            default=[],
            metavar="NODE=EDGE,...",
            help="walk: the edges that a node chooses, one after the other, and the last one from then on; "
            "r2+r3 are chosen together",
        )

    def run(self, **options: Any) -> None:
        path: Path = options["file"]
        if options["verb"] == "history":
            self._history(str(path), options["json"], options["walk"])
            return
        found = graph.read(read_text(path), path.suffix[1:], path.stem)
        if options["verb"] == "check":
            self._check(found, options["json"])
            return
        if not 0 <= options["steps"] <= _MOST:
            raise Usage(f"--steps is a number from 1 to {_MOST}.")
        choices = dict(map(_choice, options["choose"]))
        self._walk(graph.walk(found, steps=options["steps"], choices=choices), options["json"])

    def _check(self, found: graph.Graph, as_json: bool) -> None:
        problems = graph.check(found)
        if as_json:
            counts = {"nodes": len(found.nodes), "edges": len(found.edges)}
            self.write_json(counts | {"problems": [asdict(problem) for problem in problems]})
        else:
            for problem in problems:
                self.stdout.write(problem.sentence)
        errors = sum(problem.severity == "error" for problem in problems)
        if errors:
            raise Rejected(f"{errors} errors found.")
        if not as_json:
            self.stdout.write(f"{len(found.nodes)} nodes and {len(found.edges)} edges; no errors found.")

    def _history(self, wid: str, as_json: bool, scheduled: bool) -> None:
        if not wid.isdigit() or int(wid) >= 2**31:
            raise Usage(f"“{wid[:80]}” is not the number of an instance.")
        instance = Instance.objects.filter(wid=int(wid)).select_related("flow").first()
        if instance is None:
            raise UnknownInstance(f"There is no instance {wid}.")
        source = api.flows.read_source(instance.flow.name)
        if source is None or source["language"] != "graph":
            raise Rejected(f"The present version of flow {instance.flow.name} was not imported as a graph.")
        drawn = graph.read(source["text"], source["format"])
        steps: Any = TraceEntry.objects.filter(wid=int(wid)).order_by("seq").iterator()
        found = visits(drawn, source["map"], steps)
        if scheduled:
            self._walk(walked(drawn, found), as_json)
            return
        if as_json:
            self.write_json({"wid": int(wid), "steps": [asdict(visit) for visit in found]})
            return
        rows = [
            (visit.seq, visit.node, ";".join(visit.consumed), ";".join(visit.waiting), visit.address)
            for visit in found
        ]
        self.write_table(("step", "node", "consumed", "tokens", "new tokens"), rows, "It has no history.")

    def _walk(self, walked: graph.Walk, as_json: bool) -> None:
        if as_json:
            self.write_json(asdict(walked) | {"visited": walked.visited})
        else:
            self._table([_row(step) for step in walked.steps])
        ends = _ending(walked)
        if walked.outcome in ("deadlock", "undecided"):
            raise Rejected(ends)
        if ends and not as_json:
            self.stdout.write(ends)

    def _table(self, rows: list[tuple[str, ...]]) -> None:
        """Print all of each row: a list of threads is never cut."""
        widths = [max(map(len, column)) for column in zip(_HEADERS, *rows, strict=True)]
        for row in (_HEADERS, [*("-" * width for width in widths)], *rows):
            cells = (text.ljust(width) for text, width in zip(row, widths, strict=True))
            self.stdout.write("  ".join(cells).rstrip())


def _choice(argument: str) -> tuple[str, list[list[str]]]:
    node, equals, edges = argument.partition("=")
    if not equals or not edges:
        raise Usage(f"“{argument[:80]}” is not NODE=EDGE,...")
    return node, [taken.split("+") for taken in edges.split(",")]


def _row(step: graph.Step) -> tuple[str, ...]:
    threads = ";".join(step.threads) or "-"
    return str(step.number), step.executed or "BEGIN", threads, str(step.pointer), step.address


def _ending(walked: graph.Walk) -> str:
    """Return how the walk ends if not by itself."""
    nodes = ", ".join(walked.waiting)
    last = walked.steps[-1].number
    return {
        "ended": "",
        "deadlock": f"The walk ends without an end: tokens wait at {nodes}.",
        "undecided": f"The data decide at {nodes}. Say which edge it takes: --choose {nodes}=EDGE.",
        "planned": f"The walk goes on after step {last}.",
        "repeats": f"Step {last} leads to where step {walked.repeats} led: these steps repeat without end.",
    }[walked.outcome]
