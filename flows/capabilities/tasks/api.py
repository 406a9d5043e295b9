"""Tasks: jobs that people perform. A person takes one from a list, and completes it with an outcome.

A task has the number of its job. Who may take it is its audience: a role, the people of a flow, or a person;
`keys` are those of the person who asks (`flows.access.task_keys`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from flows.statements import JSON, read_as, rows, value

Order: TypeAlias = Literal["arrival", "priority", "deadline", "size", "readiest", "own"]
ORDERS: tuple[Order, ...] = ("arrival", "priority", "deadline", "size", "readiest", "own")
READY, SELECTED, LOCKED, RUNNING, HELD, SUCCEEDED, FAILED, WITHDRAWN = "R", "S", "L", "X", "H", "D", "F", "W"


@dataclass(frozen=True)
class HeldTask:
    """A task that a person has taken; `claim` is the token of this holding."""

    job_id: int
    wid: int
    flow: str
    transition: str
    state: str
    owner: str
    claim: int
    due_at: datetime | None


@dataclass(frozen=True)
class Task:
    """A task in a list. `audience` begins with r: (a role), f: (the people of a flow) or p: (a person).

    `size` is how many bytes of data it has.
    """

    job_id: int
    wid: int
    flow: str
    tgid: int
    transition: str
    label: str
    state: str
    audience: str
    owner: str | None
    priority: int
    arrived_at: datetime
    due_at: datetime | None
    owned_at: datetime | None
    hidden_until: datetime | None
    given_by: str | None
    offline: bool
    ended_at: datetime | None
    ended_by: str | None
    outcome: str | None
    seq: int | None
    size: int

    @property
    def ended(self) -> bool:
        """Return whether the task has been completed, has failed or was withdrawn."""
        return self.ended_at is not None


@dataclass(frozen=True)
class TaskSheet(Task):
    """A task with what is needed to perform it.

    `reads` and `writes` are the attributes that its rule reads and that its form asks for, `state_of` all
    present values, `outcomes` the names of how it may end, `application` a link or None. `claim` is given to
    its owner only. `form` is the form of its rule (docs/forms.md) with what its conditions are now.
    """

    description: str
    reads: Sequence[str]
    writes: Sequence[str]
    outcomes: Sequence[str]
    application: str | None
    state_of: Mapping[str, Any]
    claim: str | None
    form: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class TaskResult:
    """What completing a task did; `repeated` is whether it had been completed in the same way before."""

    seq: int
    status: str
    fired: Sequence[str]
    repeated: bool


@dataclass(frozen=True)
class TaskLoad:
    """How many tasks of a flow a person holds, and how many of them are late."""

    owner: str
    held: int
    late: int


@dataclass(frozen=True)
class TeamLoad:
    """How many tasks of a flow a person holds, and how many are late.

    `owner` is None for open ones, of which the first 1,001 are counted.
    """

    flow: str
    owner: str | None
    held: int
    late: int


def take_task(
    task: int, person: str, keys: Sequence[str], lock: bool = False, *, conn: Any = None
) -> HeldTask:
    """Take a task; `lock` for work without a connection. Who holds it already gets the same answer.

    Raises UnknownTask, NotPermittedTask, TaskTaken, TaskNotHeld.
    """
    call = "select (t).* from wedsql.take_task(%s, %s, %s::text[], %s) t"
    return HeldTask(*rows(conn, call, (task, person, list(keys), lock))[0])


def take_first_task(
    tasks: Sequence[int], person: str, keys: Sequence[str], *, conn: Any = None
) -> HeldTask | None:
    """Take the first of these tasks that can be had at once; None where others were faster with each."""
    call = "select (t).* from wedsql.take_first_task(%s::bigint[], %s, %s::text[]) t"
    found = rows(conn, call, (list(tasks), person, list(keys)))[0]
    return None if found[0] is None else HeldTask(*found)


def take_next_task(
    offered: Callable[[int | None], Sequence[int]], person: str, keys: Sequence[str], *, conn: Any = None
) -> HeldTask | None:
    """Take the first task of a list that can be had; None where there is none to its end.

    Args:
        offered: returns the next tasks of the list, at most 500, after one of them; at first after None.
        person: who takes it.
        keys: the audiences of the person.
        conn: a connection; the site's by default.
    """
    seen: set[int] = set()
    after: int | None = None
    while tasks := [task for task in offered(after) if task not in seen]:
        if held := take_first_task(tasks, person, keys, conn=conn):
            return held
        seen.update(tasks)
        after = tasks[-1]
    return None


def start_task(task: int, person: str, *, conn: Any = None) -> None:
    """Note that the person has begun. Raises UnknownTask, TaskTaken, TaskNotHeld."""
    value(conn, "select wedsql.start_task(%s, %s)", (task, person))


def release_task(
    task: int, person: str, force: bool = False, *, owner: str | None = None, conn: Any = None
) -> None:
    """Give a task back to those who may take it; `force`: also one that another person holds.

    With `owner` only if that is this person. Raises UnknownTask, TaskTaken, TaskNotHeld.
    """
    value(conn, "select wedsql.release_task(%s, %s, %s, %s)", (task, person, force, owner))


def give_task(
    task: int,
    person: str,
    to: str,
    reason: str = "",
    force: bool = False,
    *,
    owner: str | None = None,
    conn: Any = None,
) -> None:
    """Give a task to another person, who alone may take it then; `force`: also one that is not held.

    With `owner` it is taken from this person only. Raises UnknownTask, NotPermittedTask, TaskTaken,
    TaskNotHeld, BadDefinition.
    """
    call = "select wedsql.give_task(%s, %s, %s, %s, %s, %s)"
    value(conn, call, (task, person, to, reason, force, owner))


def put_task_aside(task: int, person: str, until: datetime | None, *, conn: Any = None) -> None:
    """Hide a task from what is to be done until a moment; None shows it again.

    Raises UnknownTask, TaskTaken, TaskNotHeld, BadDefinition.
    """
    value(conn, "select wedsql.put_task_aside(%s, %s, %s::timestamptz)", (task, person, until))


def complete_task(
    task: int,
    person: str,
    data: Mapping[str, Any] | None = None,
    outcome: str | None = None,
    claim: int | None = None,
    *,
    conn: Any = None,
) -> TaskResult:
    """Complete a task that the person holds, with values and an outcome; safe to repeat.

    Raises UnknownTask, TaskTaken, TaskNotHeld, UnknownOutcome, FormNotTaken, BadDefinition, and as a worker's
    result.
    """
    call = "select * from wedsql.complete_task(%s, %s, %s, %s, %s)"
    return TaskResult(*rows(conn, call, (task, person, JSON(data or {}), outcome, claim))[0])


def fail_task(task: int, person: str, reason: str, claim: int | None = None, *, conn: Any = None) -> str:
    """End a task that could not be done; return "FAILED" if its rule has that outcome, else "exception".

    Raises UnknownTask, TaskTaken, TaskNotHeld, BadDefinition, and as a worker's result.
    """
    return str(value(conn, "select wedsql.fail_task(%s, %s, %s, %s)", (task, person, reason, claim)))


def read_task(task: int, person: str, *, conn: Any = None) -> TaskSheet:
    """Return a task with what is needed to perform it. Raises UnknownTask."""
    return read_as(TaskSheet, value(conn, "select wedsql.read_task(%s, %s)", (task, person)))


def open_tasks(
    person: str,
    keys: Sequence[str],
    order: Order = "arrival",
    after: int | None = None,
    limit: int = 50,
    flow: str | Sequence[str] | None = None,
    *,
    conn: Any = None,
) -> list[Task]:
    """Return tasks that the person may take, of a flow or some flows only, in an order, after a task.

    Raises BadDefinition.
    """
    flows = [flow] if isinstance(flow, str) else flow if flow is None else list(flow)
    call = "select * from wedsql.open_tasks(%s, %s::text[], %s, %s, %s, %s::text[])"
    return [Task(*row) for row in rows(conn, call, (person, list(keys), order, after, limit, flows))]


def own_tasks(
    person: str, aside: bool = False, order: Order | None = None, *, conn: Any = None
) -> list[Task]:
    """Return the tasks that the person holds, to be done or put aside, at most 500.

    Without an order those to be done come by priority and deadline, the others by when they come back. Raises
    BadDefinition.
    """
    call = "select * from wedsql.own_tasks(%s, %s, %s)"
    return [Task(*row) for row in rows(conn, call, (person, aside, order))]


def listed_tasks(tasks: Sequence[int], *, conn: Any = None) -> list[Task]:
    """Return these tasks in their order, those that there are, at most 501."""
    return [Task(*row) for row in rows(conn, "select * from wedsql.task_items(%s::bigint[])", (list(tasks),))]


def newest_tasks(
    person: str, keys: Sequence[str], after: int | None = None, limit: int = 5, *, conn: Any = None
) -> list[Task]:
    """Return the tasks that the person got since a task, the newest first; with None the newest one."""
    call = "select * from wedsql.newest_tasks(%s, %s::text[], %s, %s)"
    return [Task(*row) for row in rows(conn, call, (person, list(keys), after, limit))]


def done_tasks(person: str, before: int | None = None, limit: int = 50, *, conn: Any = None) -> list[Task]:
    """Return the tasks that the person completed or failed before a task, the last first."""
    call = "select * from wedsql.done_tasks(%s, %s, %s)"
    return [Task(*row) for row in rows(conn, call, (person, before, limit))]


def flow_tasks(flow: str, after: int = 0, limit: int = 50, *, conn: Any = None) -> list[Task]:
    """Return the open tasks of a flow after a task, by their numbers. Raises UnknownFlow."""
    return [
        Task(*row) for row in rows(conn, "select * from wedsql.flow_tasks(%s, %s, %s)", (flow, after, limit))
    ]


def instance_tasks(wid: int, limit: int = 100, *, conn: Any = None) -> list[Task]:
    """Return the tasks of an instance, the last first, ended ones included."""
    return [Task(*row) for row in rows(conn, "select * from wedsql.instance_tasks(%s, %s)", (wid, limit))]


@dataclass(frozen=True)
class OtherTasks:
    """A person who holds tasks: how many, and since when the last one."""

    owner: str
    tasks: int
    since: datetime | None


def tasks_of_others(wids: Sequence[int], person: str, *, conn: Any = None) -> list[OtherTasks]:
    """Return the other persons who hold tasks of these instances, 20 at most."""
    call = "select * from wedsql.tasks_of_others(%s::integer[], %s)"
    return [OtherTasks(*each) for each in rows(conn, call, (list(wids), person))]


def tasks_of_other_rules(flow: str, rules: Sequence[int], *, conn: Any = None) -> list[OtherTasks]:
    """Return who holds tasks of rules of a flow that are not among these, 20 at most. Raises UnknownFlow."""
    call = "select * from wedsql.tasks_of_other_rules(%s, %s::integer[])"
    return [OtherTasks(*each) for each in rows(conn, call, (flow, list(rules)))]


def task_load(flow: str, *, conn: Any = None) -> list[TaskLoad]:
    """Return who holds how many tasks of a flow. Raises UnknownFlow."""
    return [TaskLoad(*row) for row in rows(conn, "select * from wedsql.task_load(%s)", (flow,))]


def team_load(flows: Sequence[str] | None = None, *, conn: Any = None) -> list[TeamLoad]:
    """Return who holds how many tasks in these flows, or in all; at most 500 rows."""
    names = None if flows is None else list(flows)
    return [TeamLoad(*row) for row in rows(conn, "select * from wedsql.team_load(%s::text[])", (names,))]
