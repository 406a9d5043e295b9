"""Tasks as pages show them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.utils.functional import Promise
from django.utils.translation import gettext as _gettext
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from flows import api
from flows.access import AnyUser
from flows.capabilities.tasks.api import Task, TeamLoad
from flows.filters import Condition
from flows.labels import translate_label
from flows.queries.counts import Count, count
from flows.queries.definitions import FlowInfo, flow_by_name
from monitor.lists import columns as list_columns

Text = str | Promise
COUNTED = 1_000

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
    "size": _("Size of the data"),
    "readiest": _("Readiest first"),
    "own": _("My own order"),
}


@dataclass(frozen=True)
class TaskRow:
    """A task with its words in the language of the reader; `key` is the business key of its instance.

    `values` are the attributes that the list shows, by column: the type and the text. `up` and `down` are how
    it moves in an order of one's own: itself, what it is then behind, and what it is before.
    """

    task: Task
    title: str
    flow_title: str
    state: Text
    audience: str
    key: str
    values: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    up: str = ""
    down: str = ""

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


@dataclass(frozen=True)
class Rows:
    """The tasks of a list, and the flows that they are of, as the user may see them."""

    rows: Sequence[TaskRow]
    flows: Sequence[FlowInfo]


def rows(found: Iterable[Task], user: AnyUser) -> list[TaskRow]:
    """Return tasks as lists show them; business keys are read once for each flow."""
    return list(with_columns(found, user, ()).rows)


def with_columns(found: Iterable[Task], user: AnyUser, columns: Sequence[str]) -> Rows:
    """Return tasks with the values of some columns, which are read once for each flow."""
    tasks = list(found)
    read = list_columns.read(user, [(one.flow, one.wid) for one in tasks], columns)
    flows = {one.name: one for one in read.flows}
    cells = [read.of(one.wid) for one in tasks]
    made = [
        row(one, flows.get(one.flow), cell.key, cell.values) for one, cell in zip(tasks, cells, strict=True)
    ]
    return Rows(made, read.flows)


def row(
    task: Task,
    flow: FlowInfo | None,
    key: str = "",
    values: Mapping[str, tuple[str, str | None]] | None = None,
) -> TaskRow:
    """Return one task as pages show it."""
    return TaskRow(
        task,
        translate_label(task.label) or task.transition,
        flow.title if flow else task.flow,
        STATES[task.state],
        audience(task.audience),
        key,
        values or {},
    )


def movable(found: Sequence[TaskRow]) -> list[TaskRow]:
    """Return the rows with how each is moved by one place."""
    keys = ["", "", *(str(one.task.job_id) for one in found), "", ""]
    return [
        replace(
            one,
            up=":".join((keys[at], keys[at - 2], keys[at - 1])) if keys[at - 1] else "",
            down=":".join((keys[at], keys[at + 1], keys[at + 2])) if keys[at + 1] else "",
        )
        for at, one in enumerate(found, 2)
    ]


@dataclass(frozen=True)
class Load:
    """The tasks of a person in some flows; without a person, those that are open. `share` is of the most."""

    person: str | None
    held: Count
    late: Count
    flows: Sequence[tuple[str, str, Count]]
    share: int = 0
    active: bool = False
    done: int = 0

    @property
    def query(self) -> str:
        """Return the filter of these tasks."""
        if self.person is None:
            return Condition("task.holder", "no").text()
        return Condition("task.holder", "=", (self.person,)).text()


def with_work(made: Sequence[Load], leads: Collection[str] | None) -> list[Load]:
    """Return loads with whether each person is active, and what each performed in the last seven days."""
    names = [one.person for one in made if one.person is not None]
    work = {one.name: one for one in api.persons.work(names, None if leads is None else sorted(leads))}
    return [
        replace(one, active=work[one.person].active, done=work[one.person].done)
        if one.person in work
        else one
        for one in made
    ]


def loads(found: Iterable[TeamLoad]) -> list[Load]:
    """Return the load of each person, the largest first, after the tasks that are open."""
    by_person: dict[str | None, list[TeamLoad]] = defaultdict(list)
    for one in found:
        by_person[one.owner].append(one)
    titles = {name: info.title for name in {one.flow for those in by_person.values() for one in those}
              if (info := flow_by_name(name))}  # fmt: skip
    made = [_load(person, those, titles) for person, those in by_person.items()]
    most = max((one.held.n for one in made if one.person is not None), default=1)
    return [
        replace(one, share=0 if one.person is None else max(round(100 * one.held.n / most), 1))
        for one in sorted(made, key=lambda one: (one.person is not None, -one.held.n, one.person or ""))
    ]


def _load(person: str | None, those: Sequence[TeamLoad], titles: Mapping[str, str]) -> Load:
    """Return the load of a person, or of none: of open tasks, not all are counted."""
    held = {one.flow: count(one.held, COUNTED if person is None else None) for one in those}
    capped = any(one.capped for one in held.values())
    return Load(
        person,
        Count(sum(one.n for one in held.values()), capped),
        Count(sum(one.late for one in those), capped),
        [(one.flow, titles.get(one.flow, one.flow), held[one.flow]) for one in those],
    )


def excluded_by(task: Task) -> str | None:
    """Return who has a job at whose time a task is not performed: empty without a name, None for no one."""
    waits = api.reasons.explain_waits([(task.wid, task.job_id)]).get(task.job_id, {})
    return str(waits.get("holder") or "") if waits.get("for") == "lock" else None
