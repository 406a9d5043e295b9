"""Definitions of flows for pages: attributes and triggers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from flows.labels import translate_label
from flows.queries.base import row, rows


@dataclass(frozen=True)
class Attribute:
    """One attribute of a flow; `title` is its label, or its name without one."""

    name: str
    type: str
    options: tuple[str, ...]
    label: str
    description: str

    @property
    def title(self) -> str:
        return translate_label(self.label) or self.name


@dataclass(frozen=True)
class Trigger:
    """One trigger of a flow; `title` is its label, or its transition without one."""

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
        return translate_label(self.label) or self.transition


@dataclass(frozen=True)
class FlowInfo:
    """One flow with its attributes and triggers; `live` is true if each step sends a notification."""

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
        return translate_label(self.label) or self.name

    @property
    def transition_titles(self) -> dict[str, str]:
        """Return the labels of the transitions that have one, by transition."""
        return {t.transition: translate_label(t.label) for t in self.triggers if t.label}

    def attribute(self, name: str) -> Attribute | None:
        return next((a for a in self.attributes if a.name == name), None)


_FLOW = "select id, name, label, description, version, notify_trace as live from wedsql.flow"


def flow_by_name(name: str) -> FlowInfo | None:
    """Return the flow of that name with its attributes and triggers, or None."""
    found = row(_FLOW + " where name = %s", [name])
    return _whole(FlowInfo(**found)) if found else None


def flow_by_id(flow_id: int) -> FlowInfo | None:
    """Return the flow of that id with its attributes and triggers, or None."""
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
    """Return the attributes of a flow in the order of their positions."""
    found = rows(
        "select aname as name, type, coalesce(options, '{}') as options, label, description"
        " from wedsql.attr where flow_id = %s order by position, aid",
        [flow_id],
    )
    return tuple(Attribute(**{**a, "options": tuple(a["options"])}) for a in found)


def triggers(flow_id: int) -> tuple[Trigger, ...]:
    """Return the triggers of a flow, including the final one, in the order of definition."""
    found = rows(
        "select tgid, tgname as name, trname as transition, cname as condition, cpred as predicate,"
        ' cfinal as "final", enabled, timeout, label from wedsql.trig where flow_id = %s order by tgid',
        [flow_id],
    )
    return tuple(Trigger(**t) for t in found)
