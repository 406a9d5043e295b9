"""Definitions of flows for pages: attributes and triggers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import get_language

from flows.definition.option_labels import AttributeTitles, EnumType, Labels, value_label
from flows.labels import translate_label
from flows.queries.base import Row, rows, several


@dataclass(frozen=True)
class Attribute:
    """One attribute of a flow; `title` is its label, or its name without one.

    `indexed` is true if it has an index for filters that can be used. `internal`: made by the import of a
    process, and written by the database only, such as a number of tokens.
    """

    name: str
    type: str
    options: tuple[str, ...]
    label: str
    description: str
    business_key: bool = False
    indexed: bool = False
    visibility: str = "everyone"
    internal: bool = False

    @property
    def title(self) -> str:
        return translate_label(self.label) or self.name

    @property
    def option_labels(self) -> tuple[str, ...]:
        """Return the lines that label its options."""
        return self.type.labels.lines if isinstance(self.type, EnumType) else ()


@dataclass(frozen=True)
class Trigger:
    """One trigger of a flow; `title` is its label, or its transition without one.

    `writes`: the attributes that its transition may write; None for all. `role`: that which performs its
    jobs; empty for none.
    """

    tgid: int
    name: str
    transition: str
    condition: str
    predicate: str
    final: bool
    enabled: bool
    timeout: timedelta | None
    label: str
    integrity: str | None
    signal: bool
    writes: tuple[str, ...] | None
    role: str

    @property
    def title(self) -> str:
        return translate_label(self.label) or (self.name if self.integrity else self.transition)

    @property
    def fires(self) -> bool:
        """Return whether it fires a transition: it is neither the final nor an integrity condition."""
        return not self.final and not self.integrity


@dataclass(frozen=True)
class StartTime:
    """A time at which instances start: the next one, and the last with the instance that it started."""

    entry: str
    due_at: datetime | None
    last_at: datetime | None
    last_wid: int | None


@dataclass(frozen=True)
class FlowRow:
    """One row of the list of definitions, with the number of its attributes and triggers."""

    id: int
    name: str
    label: str
    description: str
    version: int
    attributes: int
    triggers: int

    @property
    def title(self) -> str:
        return translate_label(self.label) or self.name


@dataclass(frozen=True)
class FlowInfo:
    """One flow with its attributes and triggers; `live` is true if each step sends a notification.

    For a user who may not see all values (flows.access.shown_to), `attributes` are those whose values are
    shown, and `concealed` the others. `exclusive`: a trigger has a lock or is of an exclusion group.
    `has_diagram`: the present version was translated from a language with a diagram.
    """

    id: int
    name: str
    label: str
    description: str
    version: int
    live: bool
    attributes: tuple[Attribute, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    concealed: tuple[Attribute, ...] = ()
    start_by: tuple[str, ...] = ()
    exclusive: bool = False
    timed: bool = False
    starts: tuple[StartTime, ...] = ()
    queue_labels: tuple[str, ...] = ()
    has_diagram: bool = False

    def queue_title(self, queue: str) -> str:
        """Return the title of a queue of cases."""
        return Labels(self.queue_labels).of(queue)

    @property
    def title(self) -> str:
        return translate_label(self.label) or self.name

    @property
    def signals(self) -> dict[str, str]:
        """Return the titles of the signals that it takes, by name."""
        waiting = {t.transition: t.title for t in self.triggers if t.signal and t.enabled}
        return waiting | {name: waiting.get(name, name) for name in self.start_by}

    @property
    def roles(self) -> list[str]:
        """Return the roles that perform its jobs, in the order of their names."""
        return sorted({t.role for t in self.triggers if t.role and t.fires})

    @property
    def signal_triggers(self) -> frozenset[int]:
        """Return the numbers of the triggers whose jobs wait for a signal."""
        return frozenset(t.tgid for t in self.triggers if t.signal)

    @property
    def data(self) -> tuple[Attribute, ...]:
        """Return the attributes that people and workers write."""
        return tuple(one for one in self.attributes if not one.internal)

    @property
    def internal(self) -> frozenset[str]:
        """Return the names of the attributes that only the database writes."""
        return frozenset(one.name for one in self.attributes if one.internal)

    @property
    def masked(self) -> list[Attribute]:
        """Return the attributes that are shown without their values."""
        return [one for one in self.concealed if one.visibility == "masked"]

    def shows(self, name: str) -> bool:
        """Return whether values of this name are shown; with concealed ones, only of present attributes."""
        return not self.concealed or self.attribute(name) is not None

    @property
    def has_integrity(self) -> bool:
        """Return whether it has an integrity condition."""
        return any(each.integrity for each in self.triggers)

    @property
    def titles(self) -> AttributeTitles:
        """Return the titles of its attributes by name."""
        titles = AttributeTitles((each.name, each.title) for each in self.attributes)
        titles.types = {each.name: each.type for each in self.attributes}
        return titles

    @property
    def transition_titles(self) -> dict[str, str]:
        """Return the labels of the transitions that have one, by transition; made once per language."""
        known: dict[str | None, dict[str, str]] = vars(self).setdefault("_transition_titles", {})
        language = get_language()
        if language not in known:
            labelled = [each for each in self.triggers if each.label and each.fires]
            known[language] = {each.transition: translate_label(each.label) for each in labelled}
        return known[language]

    def business_key(self, values: Iterable[str | None]) -> str:
        """Return the business key of a state with values in the order of the attributes; "" without one."""
        pairs = zip(self.attributes, values, strict=False)
        return " · ".join(value_label(a.type, value) for a, value in pairs if a.business_key and value)

    def attribute(self, name: str) -> Attribute | None:
        return next((a for a in self.attributes if a.name == name), None)


DRAWN = ("bpmn", "graph", "pdl")  # languages whose texts can be drawn
_FLOW = (
    "select w.id, w.name, w.label, w.description, w.version, w.notify_trace as live, w.start_by, w.exclusive,"
    " w.start_at is not null as timed, coalesce(w.queue_labels, '{{}}') as queue_labels,"
    " o.language, o.internal from wedsql.flow w"
    " left join lateral wedsql.source_outline(w.id) o on true where w.{chosen}"
)
_ATTRIBUTES = (
    "select a.aname as name, a.type, coalesce(a.options, '{{}}') as options,"
    " coalesce(a.option_labels, '{{}}') as option_labels, a.label, a.description,"
    " a.business_key, a.visibility, exists(select 1 from pg_catalog.pg_namespace n"
    " join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = 'attr_' || a.aid"
    " join pg_catalog.pg_index x on x.indexrelid = c.oid and x.indisvalid"
    " where n.nspname = f.name) as indexed"
    " from wedsql.flow f join wedsql.attr a on a.flow_id = f.id where f.{chosen}"
    " order by a.position, a.aid"
)
_TRIGGERS = (
    "select t.tgid, t.tgname as name, t.trname as transition, t.cname as condition, t.cpred as predicate,"
    ' t.cfinal as "final", t.enabled, t.timeout, t.label, t.integrity, t.signal, t.writes, t.role'
    " from wedsql.flow f join wedsql.trig t on t.flow_id = f.id where f.{chosen} order by t.tgid"
)


def flow_by_name(name: str) -> FlowInfo | None:
    """Return the flow of that name with its attributes and triggers, or None."""
    return whole(*several(*parts("name = %s", name)))


def flow_by_id(flow_id: int) -> FlowInfo | None:
    """Return the flow of that id with its attributes and triggers, or None."""
    return whole(*several(*parts("id = %s", flow_id)))


def concealing() -> frozenset[str]:
    """Return the names of the flows that have an attribute which is not shown to everyone."""
    found = rows(
        "select f.name from wedsql.flow f where exists"
        " (select from wedsql.attr a where a.flow_id = f.id and a.visibility <> 'everyone')"
    )
    return frozenset(each["name"] for each in found)


def names() -> frozenset[str]:
    """Return the names of all flows."""
    return frozenset(each["name"] for each in rows("select name from wedsql.flow"))


def listed(names: Collection[str] | None, wanted: str, after: str, limit: int) -> list[FlowRow]:
    """Return the flows by name after `after` whose name or label has `wanted`; `names` None: of all flows."""
    found = rows(
        "select f.id, f.name, f.label, f.description, f.version,"
        " (select count(*) from wedsql.attr a where a.flow_id = f.id) as attributes,"
        " (select count(*) from wedsql.trig t where t.flow_id = f.id) as triggers from wedsql.flow f"
        " where f.name > %(after)s and (%(every)s or f.name = any(%(names)s))"
        " and (%(wanted)s = '' or position(lower(%(wanted)s) in lower(f.name)) > 0"
        " or position(lower(%(wanted)s) in lower(f.label)) > 0) order by f.name limit %(limit)s",
        {
            "after": after,
            "every": names is None,
            "names": list(names or ()),
            "wanted": wanted,
            "limit": limit,
        },
    )
    return [FlowRow(**each) for each in found]


@dataclass(frozen=True)
class FlowTexts:
    """The texts of a flow for people: labels of itself, its transitions and queues; what may be repaired."""

    name: str
    label: str
    queues: tuple[str, ...]
    transitions: tuple[tuple[str, str], ...]
    repairable: tuple[str, ...]


def texts_of(names: Collection[str]) -> list[FlowTexts]:
    """Return the texts of the flows of these names that exist, in one query."""
    if not names:
        return []
    found = rows(
        "select f.name, f.label, coalesce(f.queue_labels, '{}') as queues, t.names, t.labels,"
        " array(select a.aname from wedsql.attr a where a.flow_id = f.id and a.repairable) as repairable"
        " from wedsql.flow f cross join lateral (select array_agg(g.trname order by g.tgid) as names,"
        " array_agg(g.label order by g.tgid) as labels from wedsql.trig g"
        " where g.flow_id = f.id and g.trname <> '' and g.label <> '') t"
        " where f.name = any(%s) order by f.name",
        [list(names)],
    )
    return [
        FlowTexts(
            each["name"],
            each["label"],
            tuple(each["queues"]),
            tuple(zip(each["names"] or (), each["labels"] or (), strict=True)),
            tuple(each["repairable"]),
        )
        for each in found
    ]


def flow_rows(names: Collection[str]) -> dict[str, FlowRow]:
    """Return the rows of the flows of these names that exist."""
    found = rows(
        "select id, name, label, description, version from wedsql.flow where name = any(%s)", [list(names)]
    )
    return {each["name"]: FlowRow(**each, attributes=0, triggers=0) for each in found}


def parts(chosen: str, value: str | int) -> list[tuple[str, Sequence[Any]]]:
    """Return the statements of a flow and its parts, to be sent together; `chosen`: its name or id."""
    return [(part.format(chosen=chosen), [value]) for part in (_FLOW, _ATTRIBUTES, _TRIGGERS)]


def whole(flows: list[Row], attributes: list[Row], triggers: list[Row]) -> FlowInfo | None:
    """Return the flow of the rows of its statements, or None."""
    if not flows:
        return None
    language, internal = flows[0].pop("language"), flows[0].pop("internal") or ()
    flow = FlowInfo(**flows[0])
    return replace(
        flow,
        attributes=tuple(attribute_of({**each, "internal": each["name"] in internal}) for each in attributes),
        triggers=tuple(map(_trigger_of, triggers)),
        start_by=tuple(flow.start_by or ()),
        queue_labels=tuple(flow.queue_labels),
        starts=start_times(flow.id) if flow.timed else (),
        has_diagram=language in DRAWN,
    )


def start_times(flow_id: int) -> tuple[StartTime, ...]:
    """Return the times at which instances of a flow start, the next one first."""
    found = rows(
        "select entry, due_at, last_at, last_wid from wedsql.start_time where flow_id = %s"
        " order by due_at, entry",
        [flow_id],
    )
    return tuple(StartTime(**each) for each in found)


def attribute_of(found: Row) -> Attribute:
    """Return the attribute of a row; the type of one with options has their labels."""
    labels, options = found.pop("option_labels"), tuple(found["options"])
    kind = EnumType.of(options, labels) if found["type"] == "enum" else found["type"]
    return Attribute(**{**found, "type": kind, "options": options})


def _trigger_of(found: Row) -> Trigger:
    writes = found["writes"]
    return Trigger(**{**found, "writes": None if writes is None else tuple(writes)})
