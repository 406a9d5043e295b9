"""The example of docs/kernel.md: figure 2 of the paper, run exactly as written."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from flows.tests.kit import Kit

pytestmark = pytest.mark.kernel
GUIDE = Path(__file__).resolve().parents[4] / "docs" / "kernel.md"


def test_w050_figure2_word_for_word(fig2: Kit) -> None:
    wid = fig2.one("insert into {f}.wed_flow default values returning wid")
    assert fig2.jobs(wid) == ["tr_a2", "tr_a3"]
    fig2.run("tr_a2", wid, a2="done")
    fig2.run("tr_a3", wid, a3="done")
    assert fig2.jobs(wid) == ["tr_final"]
    fig2.run("tr_final", wid, a1="over")
    assert fig2.status(wid) == "F"
    assert fig2.jobs(wid) == []
    assert fig2.story(wid) == [
        ("_INIT", ["tr_a2", "tr_a3"], "R"),
        ("tr_a2", [], "R"),
        ("tr_a3", ["tr_final"], "R"),
        ("tr_final", [], "F"),
    ]


def test_w034_trace_of_figure2_is_the_one_in_the_guide(fig2: Kit) -> None:
    wid = fig2.one("insert into {f}.wed_flow default values returning wid")
    for transition, changes in [
        ("tr_a2", {"a2": "done"}),
        ("tr_a3", {"a3": "done"}),
        ("tr_final", {"a1": "over"}),
    ]:
        fig2.run(transition, wid, **changes)
    documented = re.search(
        r"<!-- trace of figure 2 -->\n\n(\|.*?)\n\n", GUIDE.read_text(encoding="utf-8"), re.S
    )
    assert documented, "docs/kernel.md has the trace of figure 2"
    lines = [
        [cell.strip(" `") for cell in line.strip("|").split("|")] for line in documented[1].splitlines()[2:]
    ]
    seen = [
        [
            str(row.seq),
            row.trw,
            json.dumps(row.trf),
            json.dumps(row.state),
            row.status,
            json.dumps(row.before),
        ]
        for row in fig2.trace(wid)
    ]
    assert lines == seen


def test_w055_w038_timeouts_of_figure2(fig2: Kit) -> None:
    wid = fig2.start()
    assert [str(job.timeout) for job in fig2.pending(wid)] == ["3 days, 18:00:00", "0:00:30"]
    fig2.rows("update {f}.wed_trig set timeout = '5 minutes' where trname = 'tr_a3'")
    assert str(fig2.pending(wid)[1].timeout) == "0:00:30", "a pending job keeps the timeout it was fired with"


def test_w039_payload_is_the_state_that_fired(fig2: Kit) -> None:
    wid = fig2.start()
    fig2.run("tr_a2", wid, a2="done")
    job = fig2.take("tr_a3", wid)
    assert job.payload == {"a1": "ready", "a2": None, "a3": None}
    assert job.state == {"a1": "ready", "a2": "done", "a3": None}


def test_w020_five_control_tables_with_the_papers_columns(fig2: Kit) -> None:
    found = fig2.rows(
        "select table_name, array_agg(column_name::text) as names from information_schema.columns"
        " where table_schema = %s group by 1",
        [fig2.name],
    )
    columns = {row.table_name: set(row.names) for row in found}
    assert columns["wed_attr"] >= {"aname", "adv"}
    assert columns["wed_trig"] >= {
        "tgid",
        "tgname",
        "enabled",
        "trname",
        "cname",
        "cpred",
        "cfinal",
        "timeout",
    }
    assert columns["wed_trace"] >= {"wid", "state", "trf", "trw", "status", "tstmp"}
    assert columns["job_pool"] >= {"wid", "tgid", "trname", "lckid", "timeout", "payload"}
    assert columns["wed_flow"] == {"wid", "a1", "a2", "a3"}


def test_w052_final_condition_gets_the_system_name(fig2: Kit) -> None:
    row = fig2.rows("select trname, tgname, cname from {f}.wed_trig where cfinal")[0]
    assert tuple(row) == ("_FINAL", "_FINAL", "_FINAL")


def test_w111b_aborted_work_leaves_nothing(fig2: Kit) -> None:
    wid = fig2.start()
    with fig2.conn.transaction(force_rollback=True):
        fig2.run("tr_a2", wid, a2="done")
        assert fig2.state(wid)["a2"] == "done"
    assert fig2.state(wid)["a2"] is None
    assert fig2.jobs(wid) == ["tr_a2", "tr_a3"]
    assert len(fig2.trace(wid)) == 1
