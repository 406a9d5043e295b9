"""Django-Q's cluster ends handlers that do not end by themselves, while it runs and while it stops."""

from __future__ import annotations

import os
import signal
import time
from multiprocessing import Process
from typing import Any

import pytest

from testkit.processes import Processes, alive
from testkit.waiting import until
from workers.djangoq import patches
from workers.tests.processes.test_cluster import Db, all_final, cluster, db, flow, forks, start, workers_of

pytestmark = pytest.mark.slow
__all__ = ["db", "flow"]


def outcomes(db: Db, wid: int) -> list[str]:
    rows = db.execute("select outcome from wedsql.job_log where wid = %s order by id", [wid])
    return [outcome for (outcome,) in rows]


def test_a_handler_that_swallows_its_timeout_does_not_block_others(
    processes: Processes, flow: str, db: Db
) -> None:
    main = cluster(processes, WEDSQL_Q_WORKERS="1")
    (wid,) = start(db, flow, "hang")
    until(processes.marks, what=processes.output)
    until(all_final(db, start(db, flow, "mark", 3)), what=processes.output)
    assert outcomes(db, wid) == ["lost"]
    assert alive(main.pid)


def test_an_exception_called_timeoutexception_ends_no_process(
    processes: Processes, flow: str, db: Db
) -> None:
    main = cluster(processes)
    until(all_final(db, start(db, flow, "mark")), what=processes.output)
    before = workers_of(main)
    wids = start(db, flow, "driver", 4)
    until(lambda: all(outcomes(db, wid) for wid in wids), what=processes.output)
    assert {outcomes(db, wid)[0] for wid in wids} == {"failed"}
    until(all_final(db, start(db, flow, "mark", 3)), what=processes.output)
    assert workers_of(main) == before


def test_a_stop_kills_what_is_left_after_the_grace(processes: Processes, flow: str, db: Db) -> None:
    main = cluster(processes, WEDSQL_STOP_GRACE="1")
    (wid,) = start(db, flow, "slow")
    until(processes.marks, what=processes.output)
    below = forks(main)
    main.send_signal(signal.SIGTERM)
    assert main.wait(60) == 0
    assert not [pid for pid in below if alive(pid)]
    assert "did not end within 1 s" in processes.output()
    cluster(processes)
    until(lambda: outcomes(db, wid) == ["lost"], what=processes.output)
    (processes.folder / "ledger.go").touch()
    until(all_final(db, [wid]), what=processes.output)


def _die_with(number: Any) -> None:
    number.get_lock().acquire()
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_number_outlives_the_process_that_had_its_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patches, "_LOCK_TIMEOUT", 0.2)
    number = patches.robust_value("f", -1)
    for _ in range(3):
        holder = Process(target=_die_with, args=[number])
        holder.start()
        holder.join()
        with number.get_lock():
            number.value += 1
    assert number.value == 2


def test_a_number_counts_right_between_processes() -> None:
    number = patches.robust_value("i", 0)
    counters = [Process(target=_count, args=[number]) for _ in range(4)]
    for process in counters:
        process.start()
    for process in counters:
        process.join()
    assert number.value == 4 * 200


def _count(number: Any) -> None:
    for _ in range(200):
        with number.get_lock():
            before = number.value
            time.sleep(0)
            number.value = before + 1
