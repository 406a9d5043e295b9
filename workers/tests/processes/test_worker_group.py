"""Many workers over few sessions of the database, with one that listens (W-112)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg.conninfo import make_conninfo

from BaseWorker import BadWorker, BaseClass, WorkerGroup
from testkit.waiting import until
from wedsql_site.environment import CHECKOUT
from workers.tests.processes.test_cluster import Db, db, flow, start, statuses

pytestmark = pytest.mark.slow
__all__ = ["db", "flow"]

GROUP = """
import time
from BaseWorker import BaseClass, WorkerGroup


class Mark(BaseClass):
    def wed_trans(self, payload):
        time.sleep(0.02)
        return "a = 'done'"


names = ["act_mark", "act_slow"] * 25
WorkerGroup([Mark(name, {dbs!r}, 5) for name in names], sessions=3).run()
"""


def _hears_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def group(dsn: str, flow: str, db: Db, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process with 50 workers of two transitions over three sessions."""
    script = tmp_path / "group.py"
    options = f"-c search_path={flow}"
    script.write_text(GROUP.format(dbs=make_conninfo(dsn, options=options, application_name=f"g-{flow}")))
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(CHECKOUT)}
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, str(script)], env=environment, stdout=log, stderr=log, preexec_fn=_hears_ctrl_c
        )
    yield process
    process.kill()
    process.wait()
    db.execute("delete from wedsql.worker where %s = any (serves)", [f"{flow}:act_mark"])  # left by kills


def sessions(db: Db, flow: str) -> list[tuple[int]]:
    named = "select pid from pg_stat_activity where application_name = %s"
    return db.execute(named, [f"g-{flow}"]).fetchall()


def test_many_workers_share_a_few_sessions(
    group: subprocess.Popen[bytes], flow: str, db: Db, tmp_path: Path
) -> None:
    wids = start(db, flow, "mark", 60) + start(db, flow, "slow", 60)
    until(lambda: statuses(db, wids) == {"F": 120}, what=lambda: (tmp_path / "log").read_text())
    assert len(sessions(db, flow)) == 4, "three that work and one that listens"
    actors = "select distinct actor from wedsql.wed_trace where wid = any(%s) and seq > 1"
    assert len(db.execute(actors, [wids]).fetchall()) > 4, "more workers than sessions"
    once = "select count(*) from wedsql.wed_trace where wid = any(%s) and seq > 1"
    assert db.execute(once, [wids]).fetchone() == (120,)

    killed = [pid for (pid,) in sessions(db, flow)]
    db.execute("select pg_terminate_backend(pid) from unnest(%s::integer[]) pid", [killed])
    more = start(db, flow, "mark", 20)
    until(lambda: statuses(db, more) == {"F": 20}, what=lambda: (tmp_path / "log").read_text())
    group.send_signal(signal.SIGINT)
    assert group.wait(60) != 0
    until(lambda: sessions(db, flow) == [])
    left = "select backend_pid from wedsql.worker where %s = any (serves) and backend_pid <> all (%s)"
    assert db.execute(left, [f"{flow}:act_mark", killed]).fetchall() == [], "it has unregistered"


def test_a_group_needs_workers_of_one_database() -> None:
    class Nothing(BaseClass):
        def wed_trans(self, payload: object) -> None:
            return None

    for workers, number in (([], 1), ([Nothing("t", "dbname=a"), Nothing("t", "dbname=b")], 1)):
        with pytest.raises(BadWorker):
            WorkerGroup(workers, number)
    with pytest.raises(BadWorker):
        WorkerGroup([Nothing("t", "dbname=a")], 0)
