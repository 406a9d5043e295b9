"""Tasks as pages show them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _gettext
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from flows.access import AnyUser, shown_to
from flows.capabilities.tasks.api import Task, TeamLoad
from flows.labels import translate_label
from flows.queries.definitions import FlowInfo, flow_by_name
from flows.queries.instances import business_keys

Text = str | Promise

STATES: Mapping[str, Text] = {
    "R": pgettext_lazy("task", "open"),
    "S": pgettext_lazy("task", "taken"),
    "L": pgettext_lazy("task", "locked"),
    "X": pgettext_lazy("task", "begun"),
    "H": pgettext_lazy("task", "held back"),
    "D": pgettext_lazy("task", "completed"),
    "F": pgettext_lazy("task", "failed"),
    "W": pgettext_lazy("task", "withdrawn"),
}
TABS: Mapping[str, Text] = {
    "mine": pgettext_lazy("tasks", "Mine"),
    "open": pgettext_lazy("tasks", "Open to me"),
    "aside": pgettext_lazy("tasks", "Put aside"),
    "done": pgettext_lazy("tasks", "Done"),
    "team": pgettext_lazy("tasks", "Team"),
}
ORDERS: Mapping[str, Text] = {
    "arrival": _("Arrival"),
    "priority": _("Priority"),
    "deadline": _("Deadline"),
}


@dataclass(frozen=True)
class TaskRow:
    """A task with its words in the language of the reader; `key` is the business key of its instance."""

    task: Task
    title: str
    flow_title: str
    state: Text
    audience: str
    key: str

    @property
    def outcome(self) -> Text:
        """Return how the task ended: the outcome that the designer has named, else its state."""
        named = self.task.outcome not in (None, "SUCCEEDED", "FAILED")
        return str(self.task.outcome) if named else self.state


def audience(of: str) -> str:
    """Return for whom a task is, as people say it."""
    kind, _colon, name = of.partition(":")
    if kind == "n":  # offered to some of a role: its number is before the role
        return name.partition(":")[2]
    return _gettext("those who handle cases") if kind == "f" else name


def rows(found: Iterable[Task], user: AnyUser) -> list[TaskRow]:
    """Return tasks as lists show them; business keys are read once for each flow."""
    tasks = list(found)
    wids: dict[str, list[int]] = defaultdict(list)
    for one in tasks:
        wids[one.flow].append(one.wid)
    flows = {name: info for name in wids if (info := flow_by_name(name))}
    keys = {name: business_keys(shown_to(user, info), wids[name]) for name, info in flows.items()}
    return [row(one, flows.get(one.flow), keys.get(one.flow, {}).get(one.wid, "")) for one in tasks]


def row(task: Task, flow: FlowInfo | None, key: str = "") -> TaskRow:
    """Return one task as pages show it."""
    return TaskRow(
        task,
        translate_label(task.label) or task.transition,
        flow.title if flow else task.flow,
        STATES[task.state],
        audience(task.audience),
        key,
    )


@dataclass(frozen=True)
class Load:
    """The tasks of a flow by who holds them; `open` and `late` are those that no person holds."""

    flow: str
    title: str
    open: int
    late: int
    people: Sequence[TeamLoad]


def loads(found: Iterable[TeamLoad]) -> list[Load]:
    """Return the load of each flow."""
    by_flow: dict[str, list[TeamLoad]] = defaultdict(list)
    for one in found:
        by_flow[one.flow].append(one)
    made = []
    for name, those in by_flow.items():
        info, free = flow_by_name(name), [one for one in those if one.owner is None]
        people = [one for one in those if one.owner is not None]
        title = info.title if info else name
        made.append(Load(name, title, sum(o.held for o in free), sum(o.late for o in free), people))
    return made
