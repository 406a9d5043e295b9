"""Instances for filters: rows of every kind, and all that filters know of them as Python values."""

from __future__ import annotations

import json
import random

from flows.capabilities.figures.tests.kernel.test_k_analysis import folded
from flows.filters import Filter
from flows.queries import base
from flows.queries.definitions import FlowInfo
from flows.queries.instances import selected
from monitor.tests.conftest import Parcels
from monitor.tests.filters.filter_trees import DAYS, MOMENTS, TEXTS, Row

ROWS = 60


def fill(parcels: Parcels) -> None:
    chance = random.Random(1)  # noqa: S311
    for n in range(ROWS):
        state = {
            "customer": chance.choice([*TEXTS, None, ""]),
            "weight": chance.choice(["0", "-2.5", "100", "0.1", "12", None]),
            "pieces": chance.choice([0, -3, 7, 8, None]),
            "fragile": chance.choice([True, False, None]),
            "due": chance.choice([*(day.isoformat() for day in DAYS), "2026-06-15", None]),
            "seen": chance.choice([*(at.isoformat() for at in MOMENTS), None]),
            "wait": chance.choice(["2 hours", "90 minutes", "36 hours", "1 day", None]),
            "extra": chance.choice([{}, {"gift": True}, {"gift": False}, None]),
        }
        wid = parcels._one(
            "select wedsql.start(%s, %s, 'shop', %s)", parcels.flow, json.dumps(state), f"key {n}"
        )
        if n % 7 == 0 and state["extra"] is None:
            parcels.send(wid)
        elif n % 11 == 0:
            parcels._one("select wedsql.cancel(%s, 'not wanted', 'bob')", wid)

    happen(parcels)


def happen(parcels: Parcels) -> None:
    """Let instances repeat a step, fail, and take times that differ."""
    unlabelled = parcels.connection.execute(
        "select wid from wedsql.job_pool where trname = 'tr_label' order by wid limit 6"
    ).fetchall()
    for n, (wid,) in enumerate(unlabelled):
        for _ in range(n % 3):
            parcels.do("tr_label", wid, pieces=7)
        if n % 2:
            parcels.do("tr_label", wid, extra={})
        if n == 5:
            parcels.do("tr_pack", wid, stage="lost")
    parcels.connection.execute(
        "insert into wedsql.job_log (flow_id, wid, job_id, tgid, trname, at, outcome)"
        " select flow_id, wid, id, tgid, trname, now(), case when wid % 2 = 0 then 'failed' else 'parked' end"
        " from wedsql.job_pool where wid % 3 = 0 and tgid > 0"
    )
    parcels.connection.execute(
        "update wedsql.instance set started_at = finished_at - make_interval(mins => wid % 7 * 30)"
        " where finished_at is not null"
    )


NAMES = {"R": "running", "E": "exception", "F": "final", "C": "cancelled"}


def stored(flow: FlowInfo) -> list[Row]:
    """Return all instances with their states as Python values."""
    found = base.rows(
        "select i.wid as id, i.status::text as status, i.key, f.*, array("
        "select j.trname from wedsql.job_pool j where j.wid = i.wid and j.tgid <> 0) as pending,"
        " array(select l.trname from wedsql.job_log l"
        " where l.wid = i.wid and l.outcome = 'failed') as failed,"
        " i.finished_at - i.started_at as took"
        " from wedsql.instance i"
        f' join "{flow.name}".wed_flow f on f.wid = i.wid'
    )
    return [{**each, "status": NAMES[each["status"]]} | _history(each["id"]) for each in found]


def _history(wid: int) -> Row:
    """Return the steps of jobs of one instance, its path, and what followed what, from plain rows."""
    found = base.rows(
        "select seq, trw, status::text, job_id, cause_seq from wedsql.wed_trace where wid = %s", [wid]
    )
    by_seq = {each["seq"]: each for each in sorted(found, key=lambda each: each["seq"])}
    done = [each for each in by_seq.values() if each["job_id"] is not None and each["trw"][0] != "_"]
    steps, states = [each["trw"] for each in done], [each["status"] for each in found]
    causes = [(by_seq.get(each["cause_seq"]), each["trw"]) for each in done]
    followed = {("start" if cause["seq"] == 1 else cause["trw"], name) for cause, name in causes if cause}
    return {
        "steps": steps,
        "path": " > ".join(folded(steps)),
        "followed": followed,
        "excepted": "E" in states,
    }


def wids(chosen: Filter) -> set[int]:
    statement, params = selected(chosen)
    return {each["wid"] for each in base.rows(statement, params)}
