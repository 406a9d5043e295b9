"""The parts of a process in BPMN, as far as they become a flow, and the layout of its diagram."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

TASKS = {
    "task": "worker",
    "userTask": "worker",
    "manualTask": "worker",
    "serviceTask": "worker",
    "sendTask": "worker",
    "businessRuleTask": "worker",
    "receiveTask": "signal",
    "scriptTask": "database",
}
"""What performs a task."""
PERSONS = frozenset({"userTask", "manualTask"})
"""Tasks that persons perform, unless the file says otherwise."""
ACTIVITIES = frozenset({*TASKS, "subProcess", "callActivity"})
GATEWAYS = {
    "exclusiveGateway": "exclusive",
    "parallelGateway": "parallel",
    "inclusiveGateway": "inclusive",
    "complexGateway": "complex",
    "eventBasedGateway": "event",
}
CHOOSING = ACTIVITIES | {"exclusiveGateway", "inclusiveGateway", "complexGateway"}
"""Elements whose outgoing sequence flows may have conditions and a default, as BPMN says."""
EVENTS = ("startEvent", "endEvent", "intermediateCatchEvent", "intermediateThrowEvent", "boundaryEvent")


@dataclass(frozen=True)
class Expression:
    """An expression as the file has it; an empty language is that of the file."""

    text: str
    language: str = ""
    line: int = 0
    column: int = 0


@dataclass(frozen=True)
class Trigger:
    """What an event waits for or does.

    `name` is that of the message, link or error; `code` that of the error; `form` of a timer is duration,
    date or cycle. An event of the kind person happens when a person says so; one that `waits` goes on
    when the compensation that it throws has ended.
    """

    kind: str = "none"
    name: str = ""
    code: str = ""
    form: str = ""
    expression: Expression | None = None
    waits: bool = True


@dataclass(frozen=True)
class Assignment:
    """A value that is passed to the attribute `target` of a child, or back from the child to its parent."""

    target: str
    source: Expression


@dataclass(frozen=True)
class Loop:
    """How often an activity is performed: while a condition holds, or a number of times.

    The number is `times`, or that of the `items` of an array, of which each performance has one as the
    attribute `item`. It ends before when `until` holds.
    """

    condition: Expression | None = None
    before: bool = False
    most: str = ""
    times: Expression | None = None
    parallel: bool = False
    items: Expression | None = None
    item: str = ""
    until: Expression | None = None


@dataclass(frozen=True)
class Choice:
    """What whoever performs a task chooses: an attribute, and its values, which are the names of ways on."""

    attribute: str
    values: tuple[str, ...]
    label: str = ""


@dataclass(frozen=True)
class Element:
    """A node of the process; `scope` is the sub-process that contains it.

    `choice` is what whoever performs a task chooses, `resets` the attribute that a gateway empties once it
    has decided. `calls` is the flow of a call activity; `inputs` and `outputs` are what children get and
    return, or what a script sets; one that `passes_all` or `returns_all` passes all that both flows have.
    `ordering` is that of an ad-hoc sub-process, whose completion condition is its `expression`, and which
    `cancels` what is still performed when it holds. `job_type` is the type of its job for workers of another
    engine; `person` says that a person performs it. `triggers` are those of an event with several, of which
    it waits for one, or `of_all`; what `instantiates` starts instances.
    """

    id: str
    tag: str
    name: str = ""
    line: int = 0
    column: int = 0
    scope: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    description: str = ""
    default: str = ""
    trigger: Trigger = Trigger()
    triggers: tuple[Trigger, ...] = ()
    of_all: bool = False
    instantiates: bool = False
    attached: str = ""
    interrupting: bool = True
    expression: Expression | None = None
    loop: Loop | None = None
    compensates: bool = False
    by_event: bool = False
    transaction: bool = False
    ordering: str = ""
    cancels: bool = True
    passes_all: bool = False
    returns_all: bool = False
    message: str = ""
    job_type: str = ""
    person: bool = False
    choice: Choice | None = None
    resets: str = ""
    calls: str = ""
    inputs: tuple[Assignment, ...] = ()
    outputs: tuple[Assignment, ...] = ()


@dataclass(frozen=True)
class Flow:
    """A sequence flow."""

    id: str
    source: str
    target: str
    name: str = ""
    condition: Expression | None = None
    line: int = 0
    column: int = 0


@dataclass(frozen=True)
class Datum:
    """An attribute: its options as a definition has them, with the element that declares it.

    Only the database writes an internal one.
    """

    id: str
    options: Mapping[str, object]
    line: int = 0
    column: int = 0
    internal: bool = False


@dataclass(frozen=True)
class Shape:
    """A node of the diagram; `label` is where its name is written, if not within it."""

    element: str
    x: float
    y: float
    width: float
    height: float
    horizontal: bool = True
    expanded: bool = True
    label: tuple[float, float, float, float] | None = None


@dataclass(frozen=True)
class Line:
    """An edge of the diagram."""

    element: str
    points: tuple[tuple[float, float], ...]
    label: tuple[float, float, float, float] | None = None


@dataclass(frozen=True)
class Plane:
    """One drawing: the process or collaboration, or a sub-process that has its own."""

    element: str
    shapes: tuple[Shape, ...] = ()
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Process:
    """A process as read: its parts in the order of the file.

    `lanes` has the name of the lane of each element in one; `links` are associations (source, target);
    `drawn` has tag and name of everything that a diagram can show; `declares` says that it has declarations
    of attributes.
    """

    id: str
    name: str
    elements: Mapping[str, Element]
    flows: Mapping[str, Flow]
    data: tuple[Datum, ...] = ()
    lanes: Mapping[str, str] = field(default_factory=dict)
    links: tuple[tuple[str, str], ...] = ()
    drawn: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    planes: tuple[Plane, ...] = ()
    language: str = ""
    line: int = 0
    column: int = 0
    declares: bool = False

    def inner(self, scope: str | None) -> list[Element]:
        """Return the elements of a sub-process, or of the process itself."""
        return [element for element in self.elements.values() if element.scope == scope]

    def by_event(self, scope: str | None) -> list[Element]:
        """Return the event sub-processes of a scope."""
        return [element for element in self.inner(scope) if element.by_event]

    def around(self, scope: str | None) -> list[str]:
        """Return a sub-process and those that contain it, the innermost first."""
        found = []
        while scope is not None:
            found.append(scope)
            scope = self.elements[scope].scope
        return found

    def role(self, element: str) -> str:
        """Return the role of an element: its own, its lane, or that of what it is attached to or within."""
        found = self.elements[element]
        own = found.options.get("role", self.lanes.get(element) or None)
        outer = found.attached or found.scope
        return own if own is not None else self.role(outer) if outer else ""

    def boundary(self, host: str) -> list[Element]:
        """Return the boundary events of an activity."""
        return [element for element in self.elements.values() if element.attached == host]

    def leaving(self, element: str) -> list[Flow]:
        """Return the flows that leave an element."""
        return [flow for flow in self.flows.values() if flow.source == element]

    def entering(self, element: str) -> list[Flow]:
        """Return the flows that lead to an element."""
        return [flow for flow in self.flows.values() if flow.target == element]
