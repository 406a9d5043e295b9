"""The death of a process in a handler counts as an attempt at its job, once, before the job runs again."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
from typing import Any

import pytest

from flows import api
from workers.recovery.dead_workers import OtherJournals, dead_journals
from workers.recovery.journal import Note
from workers.recovery.lost_jobs import report_lost
from workers.tests.conftest import Shop

SIZES = pytest.mark.parametrize("size", [1, 10])


NOTES = """
import os, sys
from pathlib import Path
from workers.recovery.journal import Journal
journal, flow, notes = Journal(Path(sys.argv[1])), sys.argv[2].encode(), eval(sys.argv[3])
journal.hold(flow, [(wid, job, claim) for wid, job, claim, running in notes if claim])
[journal.begin(flow, job, wid, claim, None) for wid, job, claim, running in notes if running]
"""


def noting_process(shop: Shop, notes: list[Note], ending: str) -> list[str]:
    """Return the command of a process that notes these jobs in the folder of the shop's runner."""
    plain = [(n.wid, n.job_id, n.claim, n.running) for n in notes]
    return [
        sys.executable,
        "-c",
        NOTES + ending,
        str(shop.runner.journal.path.parent),
        shop.flow,
        repr(plain),
    ]


def leave_notes(shop: Shop, notes: list[Note]) -> Any:
    """Leave a journal as a killed process does; return its folder."""
    subprocess.run(noting_process(shop, notes, "os.kill(os.getpid(), 9)"), check=False)
    return shop.runner.journal.path.parent


@pytest.mark.parametrize("assigned_to", [None, "victim"])
def test_a_job_whose_process_died_is_counted_once(shop: Shop, assigned_to: str | None) -> None:
    (wid,) = shop.start()
    job = shop.one("select id from wedsql.job_pool where wid = %s", wid)
    if assigned_to:
        api.operations.reassign_job(wid, job, assigned_to, "x", conn=shop.db)
    folder = leave_notes(shop, [Note(shop.flow, wid, job, None, True)])
    assert report_lost(shop.runner.wire, folder, "successor") == 1
    assert report_lost(shop.runner.wire, folder, "successor") == 0
    assert [row[0] for row in shop.log(wid)] == ["lost"]
    assert shop.one("select attempts from wedsql.job_pool where wid = %s", wid) == 1
    assert len(list(folder.glob("*.job"))) == 1, "only the runner's own file is left"


def test_leases_of_a_dead_process_come_back_and_only_the_running_one_is_counted(shop: Shop) -> None:
    wids = shop.start(2)
    jobs = shop.db.execute(
        "select wid, job_id, claim from wedsql.lease(%s, array['tr_one'], 2, 'victim', '1 hour')", [shop.flow]
    ).fetchall()
    notes = [Note(shop.flow, w, j, c, w == wids[0]) for w, j, c in jobs]
    folder = leave_notes(shop, notes)
    report_lost(shop.runner.wire, folder, "successor")
    assert [[row[0] for row in shop.log(wid)] for wid in wids] == [["lost"], ["released"]]
    assert shop.one("select count(*) from wedsql.job_pool where state = 'P' and wid = any(%s)", wids) == 2


def test_a_report_waits_while_the_session_of_the_dead_process_holds_the_job(shop: Shop, connect: Any) -> None:
    (wid,) = shop.start()
    holder = connect()
    holder.execute("begin")
    (job,) = holder.execute("select job_id from wedsql.take(%s, array['tr_one'])", [shop.flow]).fetchone()
    folder = leave_notes(shop, [Note(shop.flow, wid, job, None, True)])
    assert report_lost(shop.runner.wire, folder, "successor") == 0 and shop.log(wid) == []
    holder.execute("rollback")
    assert report_lost(shop.runner.wire, folder, "successor") == 1
    assert list(dead_journals(folder)) == [] and [row[0] for row in shop.log(wid)] == ["lost"]
    assert os.listdir(folder) == [shop.runner.journal.path.name]


def note_of(shop: Shop, wid: int) -> Note:
    return Note(shop.flow, wid, shop.one("select id from wedsql.job_pool where wid = %s", wid), None, True)


def runs_of(shop: Shop) -> list[int]:
    runs: list[int] = []
    shop.on("tr_one", lambda state, ctx: (runs.append(ctx.wid), {"a": "done"})[1])
    return runs


@SIZES
def test_the_next_worker_counts_the_death_before_running_the_job_again(shop: Shop, size: int) -> None:
    wids = shop.start(3)
    runs = runs_of(shop)
    folder = leave_notes(shop, [note_of(shop, wids[1])])
    shop.work(size)
    assert sorted(runs) == [wids[0], wids[2]], "the job waits for its back-off"
    assert [row[0] for row in shop.log(wids[1])] == ["lost"]
    assert report_lost(shop.runner.wire, folder, "successor") == 0
    assert shop.one("select attempts from wedsql.job_pool where wid = %s", wids[1]) == 1
    assert os.listdir(folder) == [shop.runner.journal.path.name]


@SIZES
def test_deaths_alone_park_a_job(shop: Shop, size: int) -> None:
    (wid,) = shop.start()
    runs = runs_of(shop)
    for _ in range(3):
        leave_notes(shop, [note_of(shop, wid)])
        shop.db.execute("update wedsql.job_pool set not_before = null where wid = %s", [wid])
        shop.work(size)
    assert shop.status(wid) == "E" and runs == []
    assert [row[0] for row in shop.log(wid)] == ["lost", "lost", "lost", "parked"]


@SIZES
def test_the_job_is_not_run_while_another_process_reports_the_death(shop: Shop, size: int) -> None:
    (wid,) = shop.start()
    runs = runs_of(shop)
    folder = leave_notes(shop, [note_of(shop, wid)])
    (path,) = set(folder.iterdir()) - {shop.runner.journal.path}
    with path.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        threading.Timer(0.3, fcntl.flock, (other, fcntl.LOCK_UN)).start()
        shop.work(size)
    assert runs == [] and [row[0] for row in shop.log(wid)] == ["lost"]


@SIZES
def test_a_living_process_without_its_connection_does_not_block_the_job(
    shop: Shop, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (wid,) = shop.start()
    runs = runs_of(shop)
    looks: list[object] = []
    monkeypatch.setattr(OtherJournals, "_journals_naming", counted(OtherJournals._journals_naming, looks))
    command = noting_process(shop, [note_of(shop, wid)], "print('noted', flush=True); os.read(0, 1)")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as living:
        assert living.stdout is not None and living.stdout.readline() == b"noted\n"
        shop.work(size)
        living.communicate()
    assert runs == [wid] and shop.log(wid) == []
    assert 1 < len(looks) < 100, "it may be dying, so more than one look, but not for ever"


def counted(function: Any, calls: list[object]) -> Any:
    """Return the function, which then records its calls in a list."""
    return lambda *given: (calls.append(given), function(*given))[1]
