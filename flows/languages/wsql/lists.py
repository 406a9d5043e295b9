"""The statements LIST: each is one query, whose rows are limited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flows.languages.wsql.tree import List
from flows.queries.base import rows

MOST = 200  # rows of an answer


@dataclass(frozen=True)
class Listed:
    """The rows of a list, and whether there are more."""

    columns: list[str]
    rows: list[list[Any]]
    more: bool


_TRIGGERS = """
select t.tgname as trigger, t.trname as transition, t.cname as condition, t.timeout::text, t.enabled
from wedsql.trig t join wedsql.flow f on f.id = t.flow_id
where f.name = {flow} and {only}
order by t.tgid"""
_ATTRIBUTES = """
select a.aname as attribute, a.type, a.adv as "default", a.options
from wedsql.attr a join wedsql.flow f on f.id = a.flow_id
where f.name = {flow}
order by a.aid"""
_CONDITIONS = """
select c.condition, c.predicate, bool_or(c.final) as final,
       array_remove(array_agg(c.trigger order by c.tgid), null) as triggers
from (select t.cname as condition, t.cpred as predicate, t.tgname as trigger, t.tgid, t.cfinal as final
      from wedsql.trig t join wedsql.flow f on f.id = t.flow_id where f.name = {flow}
      union all
      select n.name, n.content ->> 'predicate', null, null, false from wedsql.named_objects({flow}) n
      where n.kind = 'condition' and n.name not in (
        select t.cname from wedsql.trig t join wedsql.flow f on f.id = t.flow_id
        where f.name = {flow} and t.cname is not null)) c
group by c.condition, c.predicate
order by min(c.tgid), c.condition"""
_TRANSITIONS = """
select c.transition, c.timeout, array_remove(array_agg(c.trigger order by c.tgid), null) as triggers
from (select t.trname as transition, t.timeout::text, t.tgname as trigger, t.tgid
      from wedsql.trig t join wedsql.flow f on f.id = t.flow_id
      where f.name = {flow} and not t.cfinal and t.integrity is null
      union all
      select n.name, case when n.content ? 'timeout' then (n.content ->> 'timeout')::interval
                          else (select f.default_timeout from wedsql.flow f where f.name = {flow}) end::text,
             null, null
      from wedsql.named_objects({flow}) n
      where n.kind = 'transition' and n.name not in (
        select t.trname from wedsql.trig t join wedsql.flow f on f.id = t.flow_id
        where f.name = {flow})) c
group by c.transition, c.timeout
order by min(c.tgid), c.transition"""
_FIRED = """
with held as materialized (  -- jobs of the lock mode that a worker holds
  select l.classid::bigint as wid, l.objid::bigint as tgid, min(l.pid) as pid from pg_catalog.pg_locks l
  where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.database = (
    select d.oid from pg_catalog.pg_database d where d.datname = current_database())
  group by l.classid, l.objid)
select j.wid as instance, j.id as job, j.trname as transition, t.tgname as trigger,
       case when j.state = 'K' then 'parked' when j.state = 'L' or h.pid is not null then 'ongoing'
            else 'pending' end as status,
       coalesce(j.lckid, h.pid::text) as holder, j.fired_at, j.timeout::text
from wedsql.job_pool j
join wedsql.flow f on f.id = j.flow_id
left join wedsql.trig t on t.tgid = j.tgid
left join held h on h.wid = j.wid and h.tgid = j.tgid and j.state = 'P'
where f.name = {flow} and j.trname <> '_EXCPT' and {wid} and {only}
order by j.wid, j.tgid limit {most}"""
_INSTANCES = """
select i.wid as instance, i.status::text, i.seq as steps, i.started_at, i.changed_at, i.reason
from wedsql.instance i join wedsql.flow f on f.id = i.flow_id
where f.name = {flow} and {only}
order by i.wid desc limit {most}"""
_HISTORY = """
select t.wid as instance, t.seq as step, t.tstmp as at, t.trw as written_by, t.trf as fired,
       t.status::text, t.state
from (select i.wid from wedsql.instance i join wedsql.flow f on f.id = i.flow_id
      where f.name = {flow} and {wid} order by i.wid desc limit {most}) i
cross join lateral (
  select t.* from wedsql.wed_trace t where t.wid = i.wid order by t.seq limit {most}) t
order by t.wid desc, t.seq limit {most}"""
_QUERIES = {
    "triggers": _TRIGGERS,
    "attributes": _ATTRIBUTES,
    "conditions": _CONDITIONS,
    "transitions": _TRANSITIONS,
    "fired": _FIRED,
    "instances": _INSTANCES,
    "history": _HISTORY,
}
_ONLY = {
    ("triggers", "enabled"): "t.enabled",
    ("triggers", "disabled"): "not t.enabled",
    ("fired", "pending"): "j.state = 'P' and h.pid is null",
    ("fired", "ongoing"): "(j.state = 'L' or h.pid is not null)",
    ("instances", "final"): "i.status = 'F'",
    ("instances", "exception"): "i.status = 'E'",
    ("instances", "regular"): "i.status = 'R'",
}
_ALIAS = {"fired": "j", "history": "i"}


def query(statement: List) -> str:
    """Return the query of a statement; the flow and the instance are parameters of it."""
    alias = _ALIAS.get(statement.what, "")
    return (
        _QUERIES[statement.what]
        .strip()
        .format(
            flow="%(flow)s",
            wid=f"{alias}.wid = %(wid)s" if statement.wid else "true",
            only=_ONLY.get((statement.what, statement.only), "true"),
            most=MOST + 1,
        )
    )


def parameters(statement: List, flow: str) -> dict[str, Any]:
    """Return the parameters of the query. Raises OverflowError for a number that no instance can have."""
    wid = int(statement.wid.text) if statement.wid else 0
    return {"flow": flow, "wid": wid}


def listed(statement: List, flow: str) -> Listed:
    """Return the rows of a list of a flow."""
    found = rows(query(statement), parameters(statement, flow))
    columns = list(found[0]) if found else []
    return Listed(columns, [list(each.values()) for each in found[:MOST]], len(found) > MOST)
