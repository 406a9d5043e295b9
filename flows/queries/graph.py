"""The picture of a flow: its rules as nodes; edges from what rules may write, and from what happened.

A declared edge joins a rule whose transition may write an attribute (option `writes`) with each rule whose
condition reads it. An observed edge joins the rule whose result was committed with each rule that this
commit fired; its count comes from the newest instances of the flow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from flows.labels import translate_label
from flows.queries.base import rows

Kind = Literal["start", "rule", "final", "exception", "other"]

START, EXCEPTION, OTHER = "start", "exception", "other"
NEWEST_INSTANCES = 1_000
NEWEST_STEPS = 50_000


@dataclass(frozen=True)
class Rule:
    """What the picture needs of a trigger; `writes` is None if its transition may write every attribute."""

    id: str
    transition: str
    condition: str
    predicate: str
    label: str
    final: bool
    enabled: bool
    reads: frozenset[str]
    writes: frozenset[str] | None

    @property
    def title(self) -> str:
        return translate_label(self.label) or self.condition or self.transition


@dataclass(frozen=True)
class Node:
    """One node; `rule` is None at the start, at exceptions and at other changes.

    Other changes are those of the definition, cancellations, and attempts that are exhausted.
    """

    id: str
    kind: Kind
    rule: Rule | None = None


@dataclass(frozen=True)
class Edge:
    """One edge.

    Args:
        source, target: ids of nodes.
        attributes: the attributes that the source may write and the target reads; empty if not declared.
        count: how often the target followed from a commit of the source.
        share: `count` as a part of everything that followed from the source, 0 to 1.
    """

    source: str
    target: str
    attributes: tuple[str, ...] = ()
    count: int = 0
    share: float = 0.0


@dataclass(frozen=True)
class Graph:
    """The picture; `instances` and `steps` say how much of the history the counts come from."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    instances: int
    steps: int

    def node(self, name: str) -> Node | None:
        return next((node for node in self.nodes if node.id == name), None)


def graph(flow_id: int) -> Graph:
    """Return the picture of the running definition of a flow."""
    return assemble(rules(flow_id), *observed(flow_id))


def rules(flow_id: int) -> tuple[Rule, ...]:
    """Return the rules of the running definition in the order of definition."""
    found = rows(
        "select tgid, trname, cname, cpred, label, cfinal, enabled, reads, writes"
        " from wedsql.trig where flow_id = %s order by tgid",
        [flow_id],
    )
    return tuple(
        Rule(
            id=str(r["tgid"]),
            transition=r["trname"] or "",
            condition=r["cname"] or "",
            predicate=r["cpred"],
            label=r["label"],
            final=r["cfinal"],
            enabled=r["enabled"],
            reads=frozenset(r["reads"] or ()),
            writes=None if r["writes"] is None else frozenset(r["writes"]),
        )
        for r in found
    )


# The condition on tstmp excludes the partitions of earlier months.
_OBSERVED = """
with newest as materialized (
  select i.wid, i.started_at from wedsql.instance i
  where i.flow_id = %(flow)s order by i.wid desc limit %(instances)s
), steps as materialized (
  select t.wid, t.tgid, t.fired, t.status::text as status, t.before is null as initial,
         lag(t.status::text) over (partition by t.wid order by t.seq) as previous
  from newest n join wedsql.wed_trace t on t.wid = n.wid and t.tstmp >= n.started_at - interval '1 day'
  limit %(steps)s
), sources as (
  select case when s.initial then 'start' when s.tgid > 0 then s.tgid::text
              when s.tgid = 0 then 'exception' else 'other' end as source,
         s.fired, s.status, s.previous
  from steps s
), edges as (
  select source, f.tgid::text as target from sources, unnest(fired) as f(tgid) where f.tgid > 0
  union all
  select source, 'final' from sources where status = 'F' and previous is distinct from 'F'
  union all
  select source, 'exception' from sources where status = 'E' and previous is distinct from 'E'
)
select coalesce((select jsonb_agg(jsonb_build_array(source, target, n)) from (
         select source, target, count(*) as n from edges where source <> target or target <> 'exception'
         group by source, target) as counted), '[]') as edges,
       (select count(*) from newest) as instances, (select count(*) from steps) as steps
"""


def observed(flow_id: int) -> tuple[dict[tuple[str, str], int], int, int]:
    """Return how often one node followed another, in how many instances and in how many steps.

    Reads the newest instances only, so that the cost does not grow with the history. "final" stands for the
    final rule.
    """
    found = rows(_OBSERVED, {"flow": flow_id, "instances": NEWEST_INSTANCES, "steps": NEWEST_STEPS})[0]
    counts = {(source, target): n for source, target, n in found["edges"]}
    return counts, found["instances"], found["steps"]


def declared(found: Iterable[Rule]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the attributes that the first rule of a pair declares to write and the second reads."""
    readers: dict[str, list[str]] = defaultdict(list)
    known = list(found)
    for rule in known:
        for attribute in rule.reads:
            readers[attribute].append(rule.id)
    edges: dict[tuple[str, str], list[str]] = defaultdict(list)
    for rule in known:
        # The final rule has no transition.
        for attribute in sorted(rule.writes or ()) if not rule.final else ():
            for reader in readers[attribute]:
                if reader != rule.id:
                    edges[rule.id, reader].append(attribute)
    return {ends: tuple(attributes) for ends, attributes in edges.items()}


def assemble(found: Sequence[Rule], counts: dict[tuple[str, str], int], instances: int, steps: int) -> Graph:
    """Return the picture of these rules with the counts of edges between them.

    Counts of rules that no longer exist are left out. "final" in `counts` is the final rule.
    """
    final = next((rule.id for rule in found if rule.final), "final")
    kinds: dict[str, Kind] = {START: "start", EXCEPTION: "exception", OTHER: "other"}
    known = {rule.id for rule in found} | set(kinds)
    counted: dict[tuple[str, str], int] = defaultdict(int)
    for (source, target), n in counts.items():
        ends = source, final if target == "final" else target
        if set(ends) <= known:
            counted[ends] += n
    edges = _edges(declared(found), counted)
    used = {end for edge in edges for end in (edge.source, edge.target)}
    nodes = [Node(START, "start"), *(Node(r.id, "final" if r.final else "rule", r) for r in found)]
    nodes += [Node(name, kind) for name, kind in kinds.items() if name != START and name in used]
    return Graph(tuple(nodes), edges, instances, steps)


def _edges(
    attributes: dict[tuple[str, str], tuple[str, ...]], counts: dict[tuple[str, str], int]
) -> tuple[Edge, ...]:
    totals: dict[str, int] = defaultdict(int)
    for (source, _target), n in counts.items():
        totals[source] += n
    pairs = dict.fromkeys([*counts, *attributes])
    return tuple(
        Edge(
            *ends,
            attributes=attributes.get(ends, ()),
            count=counts.get(ends, 0),
            share=counts.get(ends, 0) / totals[ends[0]] if totals[ends[0]] else 0.0,
        )
        for ends in pairs
    )
