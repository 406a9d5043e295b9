"""What a filter can compare: parts that every instance has, and the attributes of its flow."""

from __future__ import annotations

from dataclasses import dataclass

from flows.filters.errors import BadFilter
from flows.filters.tree import WORD, Condition
from flows.queries.definitions import Attribute, FlowInfo

ATTRIBUTE = "attr."
"""Before the name of an attribute that has the name of a part of every instance."""

STATUSES = {
    "running": "R", "exception": "E", "final": "F", "suspended": "S", "compensating": "X",
    "away": "M", "aborted": "A", "cancelled": "C",
}  # fmt: skip
GROUPS = {"living": "RESX", "ended": "FAC"}
# What jobs of an instance are, see flows.filters.parts.
PROPERTIES = ("late", "leased", "parked", "people", "unserved")

# What cases are, see flows.capabilities.cases.api.
CASE_STATES = (
    "new", "claimed", "waiting", "proposed", "approved", "reopened", "applied", "accepted", "closed",
)  # fmt: skip
SEVERITIES = ("low", "normal", "high", "critical")

# The states of proposals, and of the rules of alerts, see flows.capabilities.approvals and .alerts.
APPROVAL_STATES = ("proposed", "approved", "applied", "rejected", "withdrawn", "expired", "failed")
ALERT_STATES = ("active", "pending", "failing", "normal", "new", "off")
ALERT_KINDS = ("count", "exception_age", "queue_age", "workers")

# The states of the last clock of an SLA, see flows.filters.clocks.
CLOCK_STATES = ("running", "at_risk", "paused", "breached", "met", "cancelled")

_EXACT = ("=", "!=")
_ORDERED = (*_EXACT, "<", "<=", ">", ">=", "range")
_TEXT = (*_ORDERED, "~", "^")
_EMPTY = ("has", "no")
# The operators of each type of attribute.
OPERATORS: dict[str, tuple[str, ...]] = {
    "text": (*_TEXT, *_EMPTY),
    "enum": (*_EXACT, *_EMPTY),
    "boolean": (*_EXACT, *_EMPTY),
    "jsonb": (*_EXACT, "~", *_EMPTY),
}


@dataclass(frozen=True)
class Field:
    """Something that a condition compares; `choices` are its only values, unless there are none."""

    name: str
    kind: str
    operators: tuple[str, ...]
    choices: tuple[str, ...] = ()
    attribute: Attribute | None = None

    @property
    def written(self) -> str:
        """Return the name as it is written in a filter."""
        return f"{ATTRIBUTE}{self.name}" if self.attribute and self.name in PARTS else self.name


def _part(name: str, kind: str, *operators: str, choices: tuple[str, ...] = ()) -> Field:
    return Field(name, kind, operators, choices)


# The parts that every instance has.
PARTS: dict[str, Field] = {
    each.name: each
    for each in (
        _part("status", "name", *_EXACT, choices=(*STATUSES, *GROUPS)),
        _part("flow", "name", *_EXACT),
        _part("is", "name", *_EXACT, choices=PROPERTIES),
        _part("sla", "clock", *_EXACT),
        _part("pending", "name", *_EXACT, *_EMPTY),
        _part("reason", "text", *_EXACT, "~", "^", *_EMPTY),
        _part("key", "text", *_EXACT, "^", *_EMPTY),
        _part("id", "integer", *_ORDERED),
        _part("parent", "integer", *_EXACT, *_EMPTY),
        _part("version", "integer", *_ORDERED),
        _part("actor", "text", *_EXACT, "~", "^", *_EMPTY),
        _part("started", "timestamptz", *_ORDERED),
        _part("changed", "timestamptz", *_ORDERED),
        _part("finished", "timestamptz", *_ORDERED, *_EMPTY),
        _part("since", "timestamptz", "="),
        _part("age", "interval", "<", "<=", ">", ">=", "range"),
        _part("idle", "interval", "<", "<=", ">", ">=", "range"),
        _part("took", "interval", "<", "<=", ">", ">=", "range"),
        _part("excepted", "timestamptz", "=", "<", "<=", ">", ">=", "range", *_EMPTY),
        _part("did", "name", "=", *_EMPTY),
        _part("redid", "name", "=", *_EMPTY),
        _part("failed", "name", "=", *_EMPTY),
        _part("error.group", "integer", *_EXACT),
        _part("followed", "pair", "="),
        _part("path", "path", *_EXACT, *_EMPTY),
        _part("task.name", "text", *_EXACT, "~"),
        _part("task.role", "text", *_EXACT, *_EMPTY),
        _part("task.holder", "text", *_EXACT, *_EMPTY),
        _part("task.priority", "integer", *_ORDERED),
        _part("task.due", "timestamptz", *_ORDERED, *_EMPTY),
        _part("task.arrived", "timestamptz", *_ORDERED),
        _part("task.size", "integer", *_ORDERED),
        _part("case.number", "integer", *_ORDERED),
        _part("case.state", "name", *_EXACT, choices=CASE_STATES),
        _part("case.cause", "text", *_EXACT),
        _part("case.queue", "text", *_EXACT, "~"),
        _part("case.holder", "text", *_EXACT, *_EMPTY),
        _part("case.severity", "name", *_EXACT, choices=SEVERITIES),
        _part("case.priority", "integer", *_ORDERED),
        _part("case.due", "timestamptz", *_ORDERED, *_EMPTY),
        _part("case.opened", "timestamptz", *_ORDERED),
        _part("case.closed", "timestamptz", *_ORDERED),
        _part("job.transition", "name", *_EXACT),
        _part("job.priority", "integer", *_ORDERED),
        _part("job.attempts", "integer", *_ORDERED),
        _part("job.fired", "timestamptz", *_ORDERED),
        _part("job.next", "timestamptz", *_ORDERED, *_EMPTY),
        _part("job.worker", "text", *_EXACT, "~", *_EMPTY),
        _part("job.assigned", "text", *_EXACT, *_EMPTY),
        _part("approval.number", "integer", *_ORDERED),
        _part("approval.state", "name", *_EXACT, choices=APPROVAL_STATES),
        _part("approval.operation", "text", *_EXACT),
        _part("approval.maker", "text", *_EXACT, "~"),
        _part("approval.group", "text", *_EXACT, "~", *_EMPTY),
        _part("approval.reason", "text", "~", "^"),
        _part("approval.proposed", "timestamptz", *_ORDERED),
        _part("approval.expires", "timestamptz", *_ORDERED),
        _part("approval.decided", "timestamptz", *_ORDERED),
        _part("alert.name", "text", *_EXACT, "~", "^"),
        _part("alert.state", "name", *_EXACT, choices=ALERT_STATES),
        _part("alert.kind", "name", *_EXACT, choices=ALERT_KINDS),
        _part("alert.about", "text", "~", *_EMPTY),
        _part("alert.value", "numeric", *_ORDERED, *_EMPTY),
        _part("alert.limit", "numeric", *_ORDERED),
        _part("alert.started", "timestamptz", *_ORDERED, *_EMPTY),
        _part("alert.acknowledged", "text", *_EXACT, *_EMPTY),
        _part("alert.changed", "timestamptz", *_ORDERED),
        _part("alert.author", "text", *_EXACT),
        _part("where", "text", "="),
        _part(WORD, "text", "="),
    )
}

# The parts that a list of tasks can be filtered by. Who performs tasks may not see the history of instances.
OF_TASKS = (
    *(name for name in PARTS if name.startswith("task.")),
    "status", "flow", "key", "id", "started", "changed", "since", "age", "idle", "where", WORD,
)  # fmt: skip

# The parts that a list of alerts can be filtered by, which are of flows.
OF_ALERTS = (*(name for name in PARTS if name.startswith("alert.")), "flow", WORD)

# The parts that are known of a moment of the history.
THEN = (
    "status", "flow", "key", "id", "parent", "version", "actor", "started", "changed", "finished", "since",
    "age", "idle", "took", "where", WORD,
)  # fmt: skip


def of_attribute(attribute: Attribute) -> Field:
    """Return the field of an attribute."""
    kind = "text" if attribute.type == "enum" else attribute.type
    operators = OPERATORS.get(attribute.type, (*_ORDERED, *_EMPTY))
    choices = attribute.options if attribute.type == "enum" else ()
    return Field(attribute.name, kind, operators, choices, attribute)


def fields(flow: FlowInfo | None) -> list[Field]:
    """Return all fields that a person may choose: the parts of every instance, then the attributes."""
    own = [field for name, field in PARTS.items() if name not in (WORD, "where")]
    return [*own, *(of_attribute(each) for each in flow.attributes)] if flow else own


def task_fields(flow: FlowInfo | None) -> list[Field]:
    """Return the fields that a person may choose in a list of tasks."""
    return [each for each in fields(flow) if each.attribute or each.name in OF_TASKS]


def fields_of(flow: FlowInfo | None, prefix: str) -> list[Field]:
    """Return the fields that a person may choose in a list, those with the prefix first."""
    if prefix == "alert.":
        return [each for each in fields(None) if each.name in OF_ALERTS]
    return sorted(fields(flow), key=lambda each: not each.name.startswith(prefix) or bool(each.attribute))


def find(condition: Condition, flow: FlowInfo | None) -> Field | None:
    """Return the field of a condition, None for an attribute that the flow does not have."""
    name = condition.field
    if name in PARTS:
        return PARTS[name]
    attribute = flow.attribute(name.removeprefix(ATTRIBUTE)) if flow else None
    return of_attribute(attribute) if attribute else None


def check_operator(condition: Condition, field: Field) -> None:
    """Reject an operator that the field does not have. Raises BadFilter."""
    if condition.operator in field.operators:
        return
    shown = {"=": ":", "range": "..", "has": f"has:{field.written}", "no": f"no:{field.written}"}
    raise BadFilter(
        "operator",
        condition.position,
        condition.length,
        field=field.written,
        operator=shown.get(condition.operator, condition.operator),
        operators=", ".join(shown.get(each, each) for each in field.operators),
    )


def check_choice(condition: Condition, field: Field) -> None:
    """Reject values that are none of the field's choices. Raises BadFilter."""
    for each in condition.values if field.choices else ():
        if each not in field.choices:
            raise BadFilter(
                "choice",
                condition.position,
                condition.length,
                field=field.written,
                value=(each or "")[:80],
                choices=", ".join(field.choices),
            )
