"""What a flow is made of, as a page needs it: its attributes and its triggers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from flows.labels import said
from flows.queries.base import row, rows


@dataclass(frozen=True)
class Attribute:
    """One column of a flow's state; `title` is what a person reads."""

    name: str
    type: str
    options: tuple[str, ...]
    label: str
    description: str

    @property
    def title(self) -> str:
        return said(self.label) or self.name


@dataclass(frozen=True)
class Trigger:
    """One rule of a flow: when `predicate` holds, `transition` is queued."""

    tgid: int
    name: str
    transition: str
    condition: str
    predicate: str
    final: bool
    enabled: bool
    timeout: timedelta | None
    label: str

    @property
    def title(self) -> str:
        return said(self.label) or self.transition


@dataclass(frozen=True)
class FlowInfo:
    """One flow with its attributes and triggers; `live` tells whether its steps announce themselves."""

    id: int
    name: str
    label: str
    description: str
    version: int
    live: bool
    attributes: tuple[Attribute, ...] = ()
    triggers: tuple[Trigger, ...] = ()

    @property
    def title(self) -> str:
        return said(self.label) or self.name

    @property
    def transition_titles(self) -> dict[str, str]:
        """What a person reads for each transition that has a label."""
        return {t.transition: said(t.label) for t in self.triggers if t.label}

    def attribute(self, name: str) -> Attribute | None:
        return next((a for a in self.attributes if a.name == name), None)


_FLOW = "select id, name, label, description, version, notify_trace as live from wedsql.flow"


def flow_by_name(name: str) -> FlowInfo | None:
    """The flow of that name with its attributes and triggers, or None."""
    found = row(_FLOW + " where name = %s", [name])
    return _whole(FlowInfo(**found)) if found else None


def flow_by_id(flow_id: int) -> FlowInfo | None:
    """The flow of that number with its attributes and triggers, or None."""
    found = row(_FLOW + " where id = %s", [flow_id])
    return _whole(FlowInfo(**found)) if found else None


def _whole(flow: FlowInfo) -> FlowInfo:
    return FlowInfo(
        flow.id,
        flow.name,
        flow.label,
        flow.description,
        flow.version,
        flow.live,
        attributes(flow.id),
        triggers(flow.id),
    )


def attributes(flow_id: int) -> tuple[Attribute, ...]:
    """The attributes of a flow in the order the designer gave them."""
    found = rows(
        "select aname as name, type, coalesce(options, '{}') as options, label, description"
        " from wedsql.attr where flow_id = %s order by position, aid",
        [flow_id],
    )
    return tuple(Attribute(**{**a, "options": tuple(a["options"])}) for a in found)


def triggers(flow_id: int) -> tuple[Trigger, ...]:
    """The triggers of a flow, final one included, in the order of definition."""
    found = rows(
        "select tgid, tgname as name, trname as transition, cname as condition, cpred as predicate,"
        ' cfinal as "final", enabled, timeout, label from wedsql.trig where flow_id = %s order by tgid',
        [flow_id],
    )
    return tuple(Trigger(**t) for t in found)
