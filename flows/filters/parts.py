"""SQL of the parts that every instance has, over the alias `i` of wedsql.instance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from psycopg import sql

from flows.filters.clauses import Clause, any_of, compared, starts, text_clause
from flows.filters.clocks import in_state
from flows.filters.conditions import Typed
from flows.filters.fields import GROUPS, STATUSES
from flows.filters.history import HAPPENED
from flows.filters.relations import OF as RELATED
from flows.filters.relations import render as of_related
from flows.queries.definitions import FlowInfo

COLUMNS = {
    "reason": "reason", "actor": "actor", "id": "wid", "parent": "parent_wid", "version": "version",
    "started": "started_at", "changed": "changed_at", "finished": "finished_at",
}  # fmt: skip
# Conditions on a job `j` of the instance. An exception waits for people, and so does a job that has used its
# attempts; a worker is silent after as long as flows.queries.workers says.
_JOBS = {
    "late": "(j.late or j.state = 'L' and j.lease_until < (select wedsql.now()))",
    "leased": "j.state = 'L'",
    "parked": "j.state = 'K'",
    "people": "(j.tgid = 0 or j.state = 'K')",
    "unserved": "j.assigned_to is distinct from '' and (j.state = 'P' and j.tgid <> 0"
    " and (j.flow_id, j.trname) not in ("
    "select f.id, split_part(s.name, ':', 2) from wedsql.worker w cross join unnest(w.serves) s (name)"
    " join wedsql.flow f on f.name = split_part(s.name, ':', 1)"
    " where w.seen_at > wedsql.now() - interval '30 seconds'"
    " union all select c.flow_id, c.trname from wedsql.paper_client c"
    " where c.seen_at > wedsql.now() - interval '30 seconds')"
    " or j.state = 'P' and j.assigned_to is not null and coalesce(wedsql.assignee_seen(j.flow_id, j.trname,"
    " j.assigned_to), '-infinity') <= wedsql.now() - interval '30 seconds')",
}
# The flow of what may have no instance.
_FLOW_OF = {"approvals": "p.flow_id", "alerts": "r.flow_id"}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


def column(name: str) -> sql.Identifier:
    """Return the column of a part."""
    return sql.Identifier("i", COLUMNS[name])


def render(typed: Typed, flow: FlowInfo | None) -> Clause:
    """Return a condition on a part of the instance as SQL."""
    name = typed.field.name
    if name in _SPECIAL:
        return _SPECIAL[name](typed, flow)
    if typed.operator in ("has", "no"):
        emptiness = "{} is not null" if typed.operator == "has" else "{} is null"
        if typed.field.kind == "text":
            emptiness = "{} <> ''" if typed.operator == "has" else "coalesce({}, '') = ''"
        return Clause(sql.SQL(emptiness).format(column(name)))
    if typed.field.kind == "text" and typed.operator in ("~", "^"):
        return text_clause(column(name), typed)
    return compared(column(name), typed)


def _status(typed: Typed, flow: FlowInfo | None) -> Clause:
    letters = "".join(GROUPS.get(str(each), STATUSES.get(str(each), "")) for each in typed.values)
    found = sorted(set(letters))
    if len(found) == 1:  # an index of status and number keeps its order for one status
        return Clause(sql.SQL('i.status = %s::"char"'), (found[0],))
    return Clause(sql.SQL('i.status = any(%s::"char"[])'), (found,))


def _flow(typed: Typed, flow: FlowInfo | None) -> Clause:
    if flow is not None:
        return Clause(sql.SQL("true" if flow.name in typed.values else "false"))
    own = sql.SQL(_FLOW_OF.get(typed.of, "i.flow_id"))
    chosen = sql.SQL("{} in (select c.id from wedsql.flow c where c.name = any(%s::text[]))").format(own)
    return Clause(chosen, (list(typed.values),))


def _is(typed: Typed, flow: FlowInfo | None) -> Clause:
    wanted = " or ".join(_JOBS[str(each)] for each in typed.values)
    return _with_job(wanted)


def _pending(typed: Typed, flow: FlowInfo | None) -> Clause:
    pending = "j.state in ('P', 'L') and j.tgid <> 0"
    if typed.operator == "no":
        return Clause(sql.SQL("({}) is not true").format(_with_job(pending).sql))
    if typed.operator == "has":
        return _with_job(pending)
    return _with_job(f"{pending} and j.trname = any(%s::text[])", list(typed.values))


def _with_job(condition: str, *params: object) -> Clause:
    return Clause(
        sql.SQL(f"exists (select from wedsql.job_pool j where j.wid = i.wid and ({condition}))"), params
    )


def _age(typed: Typed, flow: FlowInfo | None) -> Clause:
    return _time_since("started_at", typed)


def _idle(typed: Typed, flow: FlowInfo | None) -> Clause:
    return _time_since("changed_at", typed)


def _time_since(column: str, typed: Typed) -> Clause:
    """Return a condition on how long ago a time is: longer means earlier."""
    if typed.operator == "range":
        low, high = typed.values
        signs = [("<=", low), (">=", high)]
    else:
        signs = [(_FLIPPED[typed.operator], typed.values[0])]
    used = [(sign, value) for sign, value in signs if value is not None]
    parts = [sql.SQL(f"i.{column} {sign} {{}} - %s::interval").format(typed.now) for sign, _value in used]
    return Clause(sql.SQL("({})").format(sql.SQL(" and ").join(parts)), tuple(v for _sign, v in used))


def _since(typed: Typed, flow: FlowInfo | None) -> Clause:
    return compared(sql.Identifier("i", "changed_at"), typed.with_operator(">="))


def _key(typed: Typed, flow: FlowInfo | None) -> Clause:
    """Return a condition on the start key or one of the attributes of the business key."""
    if typed.operator in ("has", "no"):
        return _has_key(typed.operator == "has", flow)
    one = _one_key if typed.at is None else _one_past_key
    return any_of(*(one(str(each), flow, begins=typed.operator == "^") for each in typed.values))


def _has_key(wanted: bool, flow: FlowInfo | None) -> Clause:
    parts = [sql.SQL("i.key is not null")]
    for name in _key_names(flow):
        parts.append(sql.SQL("coalesce({}::text, '') <> ''").format(sql.Identifier("f", name)))  # type: ignore[arg-type]
    joined = sql.SQL("({}) is {}true").format(sql.SQL(" or ").join(parts), sql.SQL("" if wanted else "not "))
    return Clause(joined, state=bool(_key_names(flow)))


def _one_key(value: str, flow: FlowInfo | None, *, begins: bool) -> Clause:
    """Return which instances have a key; both kinds of keys are looked up in their indexes."""
    start = "left(k.key, length(%s)) = %s" if begins else "k.key = %s"
    params: list[object] = [value, value] if begins else [value]
    flow_id: list[object] = [flow.id] if flow else []
    parts: list[sql.Composable] = [
        sql.SQL("select k.wid from wedsql.instance k where {}{}").format(
            sql.SQL("k.flow_id = %s and " if flow else ""), sql.SQL(start)
        )
    ]
    params = [*flow_id, *params]
    for name in _key_names(flow):
        clause = starts(sql.Identifier("k", name), value, whole=not begins)
        assert flow is not None  # noqa: S101 - only a flow has names of attributes
        table = sql.Identifier(flow.name, "wed_flow")
        parts.append(sql.SQL("select k.wid from {} k where {}").format(table, clause.sql))
        params += clause.params
    return Clause(sql.SQL("i.wid in ({})").format(sql.SQL(" union all ").join(parts)), tuple(params))


def _one_past_key(value: str, flow: FlowInfo | None, *, begins: bool) -> Clause:
    """Return which instances had a key at a moment; the indexes have the keys of the present."""
    own = "left(i.key, length(%s)) = %s" if begins else "i.key = %s"
    parts = [Clause(sql.SQL(own), (value, value) if begins else (value,))]
    for name in _key_names(flow):
        clause = starts(sql.Identifier("f", name), value, whole=not begins)
        parts.append(Clause(clause.sql, clause.params, state=True))
    return any_of(*parts)


def _key_names(flow: FlowInfo | None) -> list[str]:
    return [each.name for each in flow.attributes if each.business_key] if flow else []


def _word(typed: Typed, flow: FlowInfo | None) -> Clause:
    """Return which instances a word by itself means: by number, start key, or beginning of a business key.

    Of alerts it is a part of the name.
    """
    word = str(typed.values[0])
    if typed.of == "alerts":
        return text_clause(sql.SQL("r.name"), typed.with_operator("~"))
    if typed.at is None:
        parts = [any_of(_one_key(word, flow, begins=False), *_beginnings(word, flow))]
    else:
        own = (starts(sql.Identifier("f", name), word) for name in _key_names(flow))
        parts = [_one_past_key(word, flow, begins=False), *(replace(each, state=True) for each in own)]
    if word.isascii() and word.isdigit() and len(word) < 19:
        parts.append(Clause(sql.SQL("i.wid = %s"), (int(word),)))
    return any_of(*parts)


def _beginnings(word: str, flow: FlowInfo | None) -> list[Clause]:
    found = []
    for name in _key_names(flow):
        assert flow is not None  # noqa: S101 - only a flow has names of attributes
        clause = starts(sql.Identifier("k", name), word)
        table = sql.Identifier(flow.name, "wed_flow")
        found.append(
            Clause(
                sql.SQL("i.wid in (select k.wid from {} k where {})").format(table, clause.sql), clause.params
            )
        )
    return found


def _related(typed: Typed, flow: FlowInfo | None) -> Clause:
    return of_related(typed)


_SPECIAL: dict[str, Callable[[Typed, FlowInfo | None], Clause]] = {
    "status": _status, "flow": _flow, "is": _is, "pending": _pending, "age": _age, "idle": _idle,
    "since": _since, "key": _key, "sla": in_state, "": _word, **HAPPENED,
    **dict.fromkeys(RELATED, _related),
}  # fmt: skip
