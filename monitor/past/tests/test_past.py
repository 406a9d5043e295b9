"""The list of a flow and its counts as of a moment, on pages and by the API."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from psycopg import sql

from flows import api
from flows.capabilities.past import queries as past
from flows.filters import BadFilter, Filter, parse
from flows.filters.fields import PARTS, THEN
from flows.queries import base, instances, overview
from flows.queries.definitions import FlowInfo, flow_by_name
from flows.queries.paging import Cursor
from monitor.tests.conftest import Parcels, person
from monitor.tests.server.programs import Program, operator, owner, problem, program

__all__ = ["operator", "owner"]
QUERIES = (
    "", "status:running", "status:living", "status:ended", "status:(exception, suspended)", "status!=running",
    "stage:packed", "weight>3 pieces:1", "not stage:new", "no:customer", "customer^an", 'where:"weight > 3"',
    "status:running stage:packed", "changed>=-1s", "age<1d", "idle>=0s", "has:finished", "took<1h", "an",
    'key:"an"', "actor:shop", "version>=0",
)  # fmt: skip
NONSENSE = (
    "x", "²", "infinity", "-infinity", "now", "0000-01-01", "0001-01-01T00:00", "9999-12-31T23:59", "1e9",
    "' or 1=1", "2026-13-01", "2026-01-31T25:00", "1969-12-31", "2999-01-01T00:00Z", "2026-01-01T00:00+99:00",
    "0001-01-01T00:00+14:00",
)  # fmt: skip


@pytest.fixture
def info(parcels: Parcels, site: None) -> FlowInfo:
    found = flow_by_name(parcels.flow)
    assert found
    return found


def wids(chosen: Filter, size: int = 200) -> list[int]:
    listed = past.listed if chosen.at else instances.listed
    return [each.wid for each in listed(chosen, Cursor(size=size)).items]


def story(parcels: Parcels) -> Iterator[str]:
    """Perform what changes an instance, and stop after each commit."""
    first = parcels.start(customer="Ana", weight=2)
    yield "started"
    second = parcels.start(customer="Bia", weight=5)
    parcels.do("tr_label", second, extra={"label": 1})
    parcels.do("tr_pack", second, stage="packed", pieces=3)
    yield "packed"
    parcels.send(first)
    yield "final"
    third = parcels.start()
    parcels.make_exception(third)
    yield "exception"
    parcels.connection.execute("select wedsql.suspend(%s, 'Wait.')", [second])
    yield "suspended"
    parcels.connection.execute("select wedsql.cancel(%s, 'Lost.')", [third])
    yield "cancelled"
    parcels.connection.execute("select wedsql.resume(%s, 'Go on.')", [second])
    parcels.do("tr_send", second, stage="sent")
    yield "sent"


def test_a_list_as_of_a_moment_is_the_list_of_that_moment(parcels: Parcels, info: FlowInfo) -> None:
    seen = []
    for what in story(parcels):
        at = base.now()
        rows = {query: wids(parse(query, info)) for query in QUERIES}
        with base.snapshot():
            seen.append((what, at, rows, overview.summary(info).statuses))
    for what, at, rows, statuses in seen:
        for query, expected in rows.items():
            if "changed>=-1s" in query:  # the moment was read before the list
                continue
            assert wids(parse(query, info).as_of(at)) == expected, (what, query)
            assert past.matching(parse(query, info).as_of(at)).n == len(expected), (what, query)
        assert past.populations([info.name], at)[info.name] == statuses, what
    assert {n for _w, _a, rows, _s in seen for n in map(len, rows.values())} >= {0, 1, 2, 3}
    assert wids(parse("changed>=-1h", info).as_of(seen[0][1])) == seen[0][2][""], "from then, not from now"
    assert past.kept_since([info.name]) < seen[0][1]  # type: ignore[operator]


def test_as_of_now_the_list_is_the_live_one(parcels: Parcels, info: FlowInfo) -> None:
    for _what in story(parcels):
        pass
    parcels.start_many(4, customer="Rui")
    for oldest in (False, True):
        cursor, found = Cursor(size=3), []
        while cursor:
            then = past.listed(parse("", info).as_of(base.now()), cursor, oldest_first=oldest)
            live = instances.listed(parse("", info), cursor, oldest_first=oldest)
            assert (then.newer, then.older) == (live.newer, live.older)
            names = ("wid", "status", "seq", "key", "started_at", "changed_at", "cells", "named")
            for one, other in zip(then.items, live.items, strict=True):
                assert all(getattr(one, name) == getattr(other, name) for name in names)
            found += [each.wid for each in then.items]
            following = then.newer if oldest else then.older
            cursor = (
                Cursor(*((None, following) if oldest else (following, None)), size=3) if following else None
            )
        assert sorted(found) == found[:: 1 if oldest else -1] and len(found) == 7


def test_what_the_past_does_not_have_is_rejected(site: None) -> None:
    queries = {
        "is": "is:late", "pending": "has:pending", "reason": "has:reason", "did": "has:did",
        "redid": "has:redid", "failed": "has:failed", "followed": '"followed":"a > b"',
            "error.group": "error.group=1",
        "path": "has:path", "excepted": "has:excepted", "sla": "sla:answer=met",
        "task.name": "task.name~x", "task.role": "task.role=x", "task.holder": "task.holder=x",
        "task.priority": "task.priority=1",
        "task.due": "task.due:today", "task.arrived": "task.arrived:today",
        "task.size": "task.size=1",
        "job.transition": "job.transition:x", "job.priority": "job.priority=1", "job.worker": "no:job.worker",
        "job.attempts": "job.attempts>1", "job.fired": "job.fired:today", "job.next": "no:job.next",
        "job.assigned": "job.assigned:x",
        "case.number": "case.number=1", "case.state": "case.state:new", "case.cause": "case.cause:STUCK",
        "case.queue": "case.queue:x", "case.holder": "no:case.holder", "case.severity": "case.severity:low",
        "case.priority": "case.priority=1", "case.due": "case.due:today",
        "case.opened": "case.opened:today", "case.closed": "case.closed:today",
        "approval.number": "approval.number=1", "approval.state": "approval.state:applied",
        "approval.operation": "approval.operation:patch", "approval.maker": "approval.maker:x",
        "approval.group": "no:approval.group", "approval.reason": "approval.reason~x",
        "approval.proposed": "approval.proposed:today", "approval.expires": "approval.expires:today",
        "approval.decided": "approval.decided:today",
        "alert.name": "alert.name:x", "alert.state": "alert.state:active", "alert.kind": "alert.kind:count",
        "alert.about": "alert.about~x", "alert.value": "no:alert.value", "alert.limit": "alert.limit>1",
        "alert.started": "no:alert.started", "alert.acknowledged": "no:alert.acknowledged",
        "alert.changed": "alert.changed:today", "alert.author": "alert.author:x",
    }  # fmt: skip
    assert set(queries) == set(PARTS) - set(THEN)
    for name, query in queries.items():
        with pytest.raises(BadFilter) as rejected:
            parse(f"stage:new or {query.replace(chr(34) + name + chr(34), name)}").as_of(base.now())
        assert rejected.value.reason == "not_then" and name in rejected.value.message


def test_a_page_reads_the_history_of_its_own_instances_only(parcels: Parcels, info: FlowInfo) -> None:
    parcels.start_many(400)
    parcels.connection.execute("analyze wedsql.instance, wedsql.wed_trace")
    for query in ("", "status:running"):
        chosen = parse(query, info).as_of(base.now())
        statement, params = past._statement(chosen, sql.SQL("i.wid"), Cursor(), upward=False)
        explain = sql.SQL("explain (analyze, format json) ")
        with connection.cursor() as cursor:
            cursor.execute(explain + statement, [*params, 11])
            [[plan]] = cursor.fetchall()
        scans = list(scans_of(plan[0]["Plan"], "wed_trace"))
        assert scans and all(each["Node Type"].startswith("Index") for each in scans), scans
        assert sum(each["Actual Loops"] * each["Actual Rows"] for each in scans) <= 11, query


def scans_of(plan: dict[str, object], table: str) -> Iterator[dict[str, object]]:
    if str(plan.get("Relation Name", "")).startswith(table):
        yield plan
    for each in plan.get("Plans", []):  # type: ignore[attr-defined]
        yield from scans_of(each, table)


def as_of(at: datetime, **more: str) -> str:
    return urlencode({"as_of": at.isoformat(), **more})


def test_the_api_answers_as_of_a_moment(operator: Program, parcels: Parcels) -> None:
    wid = parcels.start(customer="Ana")
    then = base.now()
    parcels.send(wid)
    path = f"/flows/{parcels.flow}/instances"
    found = operator.get(f"{path}?{as_of(then, q='stage:new')}").json()
    assert [(each["wid"], each["status"]) for each in found["items"]] == [(wid, "running")]
    assert then - datetime.fromisoformat(found["as_of"]) < timedelta(milliseconds=1)
    assert found["items"][0]["reason"] is None
    assert operator.get(f"{path}/count?{as_of(then, q='status:running')}").json()["n"] == 1
    [flow] = operator.get(f"/flows?{as_of(then)}").json()["items"]
    assert flow["statuses"] == {"running": {"n": 1, "capped": False}} and flow["pending"] is None
    [flow] = operator.get("/flows").json()["items"]
    assert flow["statuses"] == {"final": {"n": 1, "capped": False}}
    before = then - timedelta(days=400)
    assert operator.get(f"{path}?{as_of(before)}").json()["items"] == []
    for text in NONSENSE:
        found = operator.get(f"/flows?{urlencode({'as_of': text})}")
        assert "time" in problem(found, 422)["hint"], text
    for address in (path, f"{path}/count"):
        problem(operator.get(f"{address}?as_of=infinity"), 422)
    problem(operator.get(f"{path}?{as_of(then, q='is:late')}"), 422)


def test_the_api_lists_all_flows_as_of_a_moment(
    operator: Program, owner: User, parcels: Parcels, info: FlowInfo
) -> None:
    other = f"{parcels.flow}_b"
    api.flows.create(other, conn=parcels.connection)
    rule = {"transition": "tr_x", "predicate": "weight > 0"}
    weight = {"name": "weight", "type": "integer"}
    api.flows.publish(other, {"attributes": [weight], "triggers": [rule]}, conn=parcels.connection)
    try:
        owner.groups.add(Group.objects.create(name=f"flow:{other}"))
        first, second = (
            parcels.start(weight=2),
            api.instances.start(other, {"weight": 2}, conn=parcels.connection),
        )
        third, then = parcels.start(weight=3), base.now()
        parcels.send(first)
        api.instances.start(other, {"weight": 2}, conn=parcels.connection)
        for query, wanted in (
            ("", [third, second, first]), ("weight:2", [second, first]), ("weight:3", [third]),
            (f"flow:{other} status:running", [second]), ("stage:sent", []), ("status:final", []),
        ):  # fmt: skip
            assert listed(operator, as_of(then, q=query)) == wanted, query
            assert operator.get(f"/instances/count?{as_of(then, q=query)}").json()["n"] == len(wanted)
        assert listed(operator, as_of(then, order="oldest")) == [first, second, third]
        found = operator.get(f"/instances?{as_of(then)}").json()["items"][-1]
        assert (found["flow"], found["status"], found["reason"]) == (parcels.flow, "running", None)
        assert listed(program(owner, flows=(other,)), as_of(then)) == [second]
        assert listed(program(person("stranger")), as_of(then)) == []
        problem(operator.get(f"/instances?{as_of(then, q='is:late')}"), 422)
        problem(operator.get("/instances/count?as_of=infinity"), 422)
    finally:
        parcels.connection.execute("select wedsql.drop_flow(%s, true)", [other])


def listed(client: Program, query: str) -> list[int]:
    """Return the numbers of all pages of two."""
    found: list[int] = []
    page = client.get(f"/instances?{query}&limit=2").json()
    while True:
        found += [each["wid"] for each in page["items"]]
        if not page["next"]:
            return found
        page = client.get(f"/instances?{query}&limit=2&cursor={page['next']}").json()


def test_the_past_of_other_flows_is_not_shown(owner: User, parcels: Parcels) -> None:
    parcels.start()
    stranger = program(person("stranger"))
    at = as_of(base.now())
    assert stranger.get(f"/flows?{at}").json()["items"] == []
    problem(stranger.get(f"/flows/{parcels.flow}/instances?{at}"), 404)
