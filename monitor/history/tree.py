"""A page of a history as a tree: each step below the one that fired its job."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flows.queries.jobs import OpenJob
from monitor.history.steps import ShownStep

DEEPEST = 8


@dataclass(frozen=True)
class Node:
    """A step, or a job that is still pending, with its depth; a chain of single steps stays at one depth."""

    depth: int
    shown: ShownStep | None = None
    job: OpenJob | None = None
    title: str = ""


def tree(shown: Sequence[ShownStep], pending: Iterable[tuple[OpenJob, str]]) -> list[Node]:
    """Return the nodes from the top down, in the order of steps below each."""
    steps = {each.step.seq: each for each in shown}
    below: dict[int | None, list[Node]] = {}
    for seq in sorted(steps):
        below.setdefault(_parent(steps[seq].step.cause_seq, steps), []).append(Node(0, steps[seq]))
    for job, title in pending:
        if job.cause_seq in steps:
            below.setdefault(job.cause_seq, []).append(Node(0, None, job, title))
    # Not recursive: a chain may be as long as the page.
    nodes: list[Node] = []
    waiting = [(node, 0) for node in reversed(below.get(None, []))]
    while waiting:
        node, depth = waiting.pop()
        nodes.append(Node(depth, node.shown, node.job, node.title))
        children = below.get(node.shown.step.seq, []) if node.shown else []
        deeper = min(DEEPEST, depth + (len(children) > 1))
        waiting += [(child, deeper) for child in reversed(children)]
    return nodes


def _parent(cause: int | None, steps: dict[int, ShownStep]) -> int | None:
    return cause if cause in steps else None
