"""The parts of PDL: types of processes, models of tasks, and applications, as they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

AUTOMATIC, SEMI_AUTOMATIC, MANUAL = "AUTOMATIC", "SEMI_AUTOMATIC", "MANUAL"
READY, RUNNING, SUCCEEDED, FAILED = "READY", "RUNNING", "SUCCEEDED", "FAILED"
NOT_READY = "NOT_READY"


@dataclass(frozen=True)
class Place:
    """Where something is: the name of the file, line and column from 1."""

    file: str = ""
    line: int = 0
    column: int = 0


_NOWHERE = Place()


@dataclass(frozen=True)
class Ref:
    """An id that names something."""

    id: str
    place: Place = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True)
class Term:
    """A term of a rule: an activity reaches a state."""

    activity: str
    state: str
    place: Place = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True)
class Operation:
    """AND or OR of rules."""

    operator: str
    parts: tuple[Rule, ...]


Rule = Term | Operation


def terms(rule: Rule | None) -> Iterator[Term]:
    """Return the terms of a rule in their order."""
    if isinstance(rule, Term):
        yield rule
    elif rule is not None:
        for part in rule.parts:
            yield from terms(part)


@dataclass(frozen=True)
class Datum:
    """A file, query, string or number; `values` has its clauses by their words."""

    kind: str
    id: str
    values: Mapping[str, str]
    place: Place = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True)
class Activity:
    """A task, or a sub-workflow; `model` is the model of the task, or the type of the sub-workflow."""

    id: str
    model: Ref
    rule: Rule | None = None
    reads: tuple[Ref, ...] = ()
    writes: tuple[Ref, ...] = ()
    role: str = ""
    description: str = ""
    is_workflow: bool = False
    place: Place = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True)
class Workflow:
    """A type of processes."""

    id: str
    data: tuple[Datum, ...] = ()
    activities: tuple[Activity, ...] = ()
    place: Place = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True)
class Deadline:
    """How long a task may take, in HOURS or DAYS of 24 hours."""

    number: int
    unit: str = "HOURS"

    @property
    def hours(self) -> int:
        """Return it in hours."""
        return self.number * (24 if self.unit == "DAYS" else 1)


@dataclass(frozen=True)
class TaskModel:
    """A model of tasks."""

    id: str
    type: str
    application: Ref | None = None
    priority: int = 0
    deadline: Deadline | None = None
    offline: bool = False
    retries: int | None = None
    place: Place = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True)
class Application:
    """A program; its size is in KB. `by_load`: of its hosts, the one that runs the least is chosen."""

    id: str
    filename: str
    size: int
    os: str
    cpu: str
    hosts: tuple[str, ...]
    installer: str = ""
    by_load: bool = False
    place: Place = field(default=_NOWHERE, compare=False)


@dataclass(frozen=True)
class Library:
    """What several texts define together, in their order; ids may be there twice.

    `unread` are ids of blocks that could not be read as a whole; `partial` says that headers could not, too.
    """

    workflows: tuple[Workflow, ...] = ()
    models: tuple[TaskModel, ...] = ()
    applications: tuple[Application, ...] = ()
    unread: frozenset[str] = field(default=frozenset(), compare=False)
    partial: bool = field(default=False, compare=False)

    def model(self, id_: str) -> TaskModel | None:
        """Return the model of this id."""
        return self._models.get(id_)

    def application(self, id_: str) -> Application | None:
        """Return the application of this id."""
        return self._applications.get(id_)

    def __post_init__(self) -> None:
        """Index models and applications."""
        object.__setattr__(self, "_models", {each.id: each for each in self.models})
        object.__setattr__(self, "_applications", {each.id: each for each in self.applications})

    _models: Mapping[str, TaskModel] = field(init=False, repr=False, compare=False)
    _applications: Mapping[str, Application] = field(init=False, repr=False, compare=False)
