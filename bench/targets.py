"""The target figures of WED-SQL, and whether a run meets them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass

_COMPARE: dict[str, Callable[[float, float], bool]] = {"≥": operator.ge, "≤": operator.le}


@dataclass(frozen=True)
class Target:
    """A target: the measure is compared with `value` by `sign`; `unit` is only printed."""

    label: str
    sign: str
    value: float
    unit: str = ""

    def met(self, measured: float) -> bool:
        """Return whether a measured value meets the target."""
        return _COMPARE[self.sign](measured, self.value)

    def __str__(self) -> str:
        return f"{self.sign} {self.value:g}{' ' + self.unit if self.unit else ''}"


FLOOR = "x floor16"
TARGETS: dict[str, Target] = {
    "step16": Target("one commit a step, 16 workers", "≥", 0.60, FLOOR),
    "batch": Target("several steps a commit, best of 2 and 4 processes", "≥", 3.0, FLOOR),
    "default": Target("wedworker without a mode, best of 2 and 4 processes", "≥", 3.0, FLOOR),
    "cluster-step": Target("Django-Q cluster, 2 workers, each step on its own", "≥", 0.35, FLOOR),
    "cluster-batch": Target("Django-Q cluster, 2 workers, batched", "≥", 1.5, FLOOR),
    "best-peer": Target("our best against the best peer of this run", "≥", 8.0, "times"),
    "latency-p50": Target("idle, start to final, p50", "≤", 3.5, "ms"),
    "latency-p99": Target("idle, start to final, p99", "≤", 12.0, "ms"),
    "growth-step": Target(
        "a step, 1,000,000 finished instances against none, one commit a step", "≤", 1.10, "times"
    ),
    "growth-batch": Target("a step, 1,000,000 finished instances against none, batched", "≤", 1.10, "times"),
    "triggers-100": Target("a state change, 100 triggers against 4", "≤", 2.0, "times"),
    "triggers-1000": Target("a state change, 1,000 triggers against 4", "≤", 10.0, "times"),
    "connections": Target("connections of a process serving 50 transitions", "≤", 3),
    "memory": Target("memory of a process serving 50 transitions", "≤", 120, "MB"),
    "browser-delivered": Target("commit to browser, 200 watching, delivered", "≥", 100.0, "%"),
    "browser-p99": Target("commit to browser, 200 watching, p99", "≤", 150, "ms"),
    "browser-cpu": Target("daphne's share of a core, with these watchers", "≤", 15, "%"),
    "designer-page": Target("slowest page of a flow of 300 rules, 500,000 instances", "≤", 200, "ms"),
    "designer-bytes": Target("largest page of that flow", "≤", 300, "kB"),
    "designer-impact": Target("impact of a changed rule on 500,000 instances", "≤", 5, "s"),
    "designer-publish": Target("publication of that rule, until it takes effect", "≤", 3, "s"),
    "monitor-page": Target("slowest page of the monitor, 1,000,000 instances", "≤", 200, "ms"),
    "monitor-live-delivered": Target("commit to browser there, delivered", "≥", 100.0, "%"),
    "monitor-live-p99": Target("commit to browser there, p99", "≤", 150, "ms"),
    "monitor-live-cpu": Target("daphne's share of a core there", "≤", 15, "%"),
    "endurance-lost": Target("commits that a browser did not see, endurance run", "≤", 0),
    "endurance-memory": Target("memory of all processes at the end against a quarter", "≤", 1.05, "times"),
    "bulk-patch": Target("bulk repair of 10,000 cases, new values", "≤", 20, "s"),
    "bulk-accept": Target("bulk repair of 10,000 cases, accept", "≤", 20, "s"),
    "bulk-abort": Target("bulk repair of 10,000 cases, undo all steps", "≤", 20, "s"),
    "people-many": Target(
        "tasks of people, many at once, against the better of two libraries", "≥", 30.0, "times"
    ),
    "processes-many-50": Target("steps of a process of 50 tasks, against SpiffWorkflow", "≥", 5.0, "times"),
    "processes-many-400": Target(
        "steps of a process of 400 tasks, against SpiffWorkflow", "≥", 20.0, "times"
    ),
    "processes-plain": Target(
        "steps of a process of 50 tasks, against a plain flow of 49 rules", "≥", 1.0, "times"
    ),
    "processes-growth": Target("cost of a step, 400 tasks against 50", "≤", 1.3, "times"),
    "devices-inbox": Target(
        "the inbox of others while 1,000 devices deliver 10 results each", "≤", 2.0, "times"
    ),
    "devices-page": Target(
        "the inbox page of others while 1,000 devices reconnect at the site", "≤", 2.0, "times"
    ),
    "inbox-page": Target("first page of 100,000 open tasks, against a look-up by key", "≤", 3.0, "times"),
    "inbox-page-finished": Target("the same with 1,000,000 finished tasks", "≤", 3.0, "times"),
    "inbox-taking": Target("taking one of 100,000 tasks, 50 persons at once, against one", "≤", 3.0, "times"),
    "page-list": Target("instance list on a million instances, slowest first page", "≤", 50, "ms"),
}


@dataclass(frozen=True)
class Measure:
    """One measured value; `key` names its target in TARGETS, and other keys have none."""

    key: str
    label: str
    value: float
    unit: str = ""
    detail: str = ""

    def unjudged(self, size: int) -> Measure:
        """Return the same of fewer instances than the target is about."""
        return Measure(f"{self.key}-{size}", f"{self.label}, {size:,}", self.value, self.unit, self.detail)

    @property
    def target(self) -> Target | None:
        """Return the target of this measure, if any."""
        return TARGETS.get(self.key)

    @property
    def verdict(self) -> str:
        """Return ``met``, ``NOT MET``, or an empty string without a target."""
        if self.target is None:
            return ""
        return "met" if self.target.met(self.value) else "NOT MET"
