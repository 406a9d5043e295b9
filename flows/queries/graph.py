"""The picture of a flow: its rules as nodes; edges from what rules may write, and from what happened.

A declared edge joins a rule whose transition may write an attribute (option `writes`) with each rule whose
condition reads it. An observed edge joins the rule whose result was committed with each rule that this
commit fired; its count comes from the newest instances of the flow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from flows.labels import rule_name, rule_title
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
    name: str = ""

    @property
    def title(self) -> str:
        return rule_title(vars(self))

    @property
    def named(self) -> bool:
        return bool(self.label or rule_name(vars(self)))


@dataclass(frozen=True)
class Node:
    """One node; `rule` is None at the start, at exceptions and at other changes.

    Other changes are those of the definition, and cancellations. An exception after attempts that are used up
    follows from the rule whose job failed.
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
    """The picture; `instances` and `steps` say how much of the history the counts come from.

    `observed` are the edges that happened there. The others are derived when they are asked for: of n rules
    they can be n squared.
    """

    nodes: tuple[Node, ...]
    observed: tuple[Edge, ...]
    instances: int
    steps: int

    def node(self, name: str) -> Node | None:
        return self._nodes.get(name)

    def following(self, name: str) -> list[Edge]:
        """Return the followers of a node, the most frequent first."""
        return sorted(self._observed.get(name, ()), key=lambda edge: -edge.count)

    def never(self, name: str) -> Iterator[Edge]:
        """Return the edges that are only declared: the rules that read what this one may write."""
        node = self.node(name)
        rule = node.rule if node else None
        if rule is None or rule.final or not rule.writes:  # the final rule has no transition
            return
        happened = {edge.target for edge in self._observed.get(name, ())} | {name}
        readers = (reader for attribute in rule.writes for reader in self._readers.get(attribute, ()))
        for place in sorted({place for place in readers if self.nodes[place].id not in happened}):
            target = self.nodes[place]
            yield Edge(name, target.id, written(rule, target.rule))

    @property
    def edges(self) -> Iterator[Edge]:
        """Return all edges, those that happened first."""
        yield from self.observed
        for node in self.nodes:
            yield from self.never(node.id)

    @cached_property
    def _nodes(self) -> dict[str, Node]:
        return {node.id: node for node in self.nodes}

    @cached_property
    def _observed(self) -> dict[str, list[Edge]]:
        found: dict[str, list[Edge]] = defaultdict(list)
        for edge in self.observed:
            found[edge.source].append(edge)
        return found

    @cached_property
    def _readers(self) -> dict[str, list[int]]:
        """Return the places of the rules that read each attribute."""
        found: dict[str, list[int]] = defaultdict(list)
        for place, node in enumerate(self.nodes):
            for attribute in node.rule.reads if node.rule else ():
                found[attribute].append(place)
        return found


def written(source: Rule | None, target: Rule | None) -> tuple[str, ...]:
    """Return the attributes that one rule declares to write and another reads."""
    if source is None or target is None or source.final:
        return ()
    return tuple(sorted(target.reads & (source.writes or frozenset())))


def graph(flow_id: int) -> Graph:
    """Return the picture of the running definition of a flow."""
    return assemble(rules(flow_id), *observed(flow_id))


def rules(flow_id: int) -> tuple[Rule, ...]:
    """Return the rules of the running definition in the order of definition."""
    found = rows(
        "select tgid, tgname, trname, cname, cpred, label, cfinal, enabled, reads, writes"
        " from wedsql.trig where flow_id = %s and integrity is null order by tgid",
        [flow_id],
    )
    return tuple(
        Rule(
            id=str(r["tgid"]),
            transition=r["trname"] or "",
            condition=r["cname"] or "",
            name=r["tgname"] or "",
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
         lag(t.status::text) over (partition by t.wid order by t.seq) as previous,
         case when t.trw = '_EXCPT' and t.job_id is null then (
           select l.tgid from wedsql.job_log l where l.wid = t.wid and l.outcome = 'parked' and l.at = t.tstmp
           order by l.id limit 1) end as failed
  from newest n join wedsql.wed_trace t on t.wid = n.wid and t.tstmp >= n.started_at - interval '1 day'
  limit %(steps)s
), sources as (
  select case when s.initial then 'start' when s.tgid > 0 then s.tgid::text
              when s.failed > 0 then s.failed::text
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
    edges = _edges({rule.id: rule for rule in found}, counted)
    used = {end for edge in edges for end in (edge.source, edge.target)}
    nodes = [Node(START, "start"), *(Node(r.id, "final" if r.final else "rule", r) for r in found)]
    nodes += [Node(name, kind) for name, kind in kinds.items() if name != START and name in used]
    return Graph(tuple(nodes), edges, instances, steps)


def _edges(found: Mapping[str, Rule], counts: Mapping[tuple[str, str], int]) -> tuple[Edge, ...]:
    totals: dict[str, int] = defaultdict(int)
    for (source, _target), n in counts.items():
        totals[source] += n
    return tuple(
        Edge(
            source,
            target,
            written(found.get(source), found.get(target) if source != target else None),
            n,
            n / totals[source],
        )
        for (source, target), n in counts.items()
    )
