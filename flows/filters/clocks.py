"""SQL of conditions on the last clock of an SLA; wedsql.sla_state says the same of one clock."""

from __future__ import annotations

from psycopg import sql

from flows.filters.clauses import Clause, any_of, complement
from flows.filters.conditions import Typed
from flows.filters.errors import BadFilter
from flows.filters.tree import Node, conditions
from flows.queries.base import rows
from flows.queries.definitions import FlowInfo

_NOW = "(select wedsql.now())"
_ON_TIME = f"c.breached_at is null and c.due_at >= {_NOW}"
_STATES = {
    "running": f"c.state = 'running' and {_ON_TIME} and c.risk_at > {_NOW}",
    "at_risk": f"c.state = 'running' and {_ON_TIME} and c.risk_at <= {_NOW}",
    "paused": "c.state = 'paused' and c.breached_at is null",
    "breached": f"(c.state = 'breached' or c.state = 'running' and c.due_at < {_NOW}"
    " or c.state in ('running', 'paused') and c.breached_at is not null)",
    "met": "c.state = 'met'",
    "cancelled": "c.state = 'cancelled'",
}
_LAST = (
    "i.wid in (select c.wid from wedsql.sla_clock c where c.last and c.sla_id = any(array("
    "select s.id from wedsql.sla s where s.enabled and s.name = %s{flow})) and {state})"
)


def in_state(typed: Typed, flow: FlowInfo | None) -> Clause:
    """Return which instances have a clock of an SLA in a state."""
    found = any_of(*(_one(str(each), flow) for each in typed.values))
    return found if typed.operator == "=" else complement(found)


def _one(value: str, flow: FlowInfo | None) -> Clause:
    name, _sign, state = value.rpartition("=")
    statement = _LAST.format(flow=" and s.flow_id = %s" if flow else "", state=_STATES[state])
    # The pattern has no value of a person, and is no format string.
    return Clause(sql.SQL(statement), (name, flow.id) if flow else (name,))


def check_names(tree: Node | None, flow: FlowInfo) -> None:
    """Reject an SLA that the flow does not have. Raises BadFilter."""
    wanted = {
        (value or "").rpartition("=")[0].strip(): each
        for each in conditions(tree)
        if each.field == "sla"
        for value in each.values
    }
    if not wanted:
        return
    found = [each["name"] for each in rows("select name from wedsql.sla where flow_id = %s", [flow.id])]
    for name, each in wanted.items():
        if name not in found:
            choices = ", ".join(sorted(found)) or "-"
            raise BadFilter("unknown_sla", each.position, each.length, value=name[:80], choices=choices)
