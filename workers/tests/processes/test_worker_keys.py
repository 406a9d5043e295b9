"""The product's workers and the paper's client with keys, which they read from a file or the environment."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from psycopg.conninfo import make_conninfo

from flows import api
from testkit.processes import Processes
from testkit.waiting import until
from wedsql_site.environment import CHECKOUT
from workers.tests.processes.test_cluster import Db, db, flow, start, statuses

pytestmark = pytest.mark.slow
__all__ = ["db", "flow"]

PAPER = """
from BaseWorker import BaseClass


class Mark(BaseClass):
    def wed_trans(self, payload):
        return "a = 'done'"


Mark("act_mark", {dbs!r}, 0.2).run()
"""


@pytest.fixture
def keyed(flow: str, db: Db) -> str:
    """The flow of the test handlers, whose workers need keys."""
    db.execute("update wedsql.flow set worker_keys = true where name = %s", [flow])
    return flow


def key_file(path: Path, secret: str) -> str:
    path.write_text(f"{secret}\n")
    return str(path)


def test_a_worker_serves_what_its_key_is_for(
    processes: Processes, keyed: str, db: Db, tmp_path: Path
) -> None:
    marked, again = start(db, keyed, "mark", 5), start(db, keyed, "again", 2)
    once = ("wedworker", "--flow", keyed, "--processes", "1", "--once")
    assert processes.manage(*once).wait(60) == 0, processes.output()
    assert statuses(db, marked + again) == {"R": 7}, "without a key it serves nothing"
    wanted = f'Flow "{keyed}" gives the jobs of act_'
    assert wanted in processes.output() and "Set WEDSQL_WORKER_KEY_FILE" in processes.output()
    secret = api.workers.create_key(f"k-{keyed}", {keyed: ["act_mark"]}, "ann", conn=db)
    file = key_file(tmp_path / "key", secret)
    assert processes.manage(*once, WEDSQL_WORKER_KEY_FILE=file).wait(60) == 0, processes.output()
    assert (statuses(db, marked), statuses(db, again)) == ({"F": 5}, {"R": 2})
    actors = db.execute(
        "select actor from wedsql.wed_trace where wid = any(%s) and seq > 1", [marked]
    ).fetchall()
    assert len(actors) == 5 and all(actor.startswith(f"k-{keyed}/wedworker#1@") for (actor,) in actors)
    assert secret not in processes.output()
    assert "the key of this one is not for them" in processes.output()


def test_a_client_of_the_paper_without_a_key_says_what_to_do(
    dsn: str, keyed: str, db: Db, tmp_path: Path
) -> None:
    wids = start(db, keyed, "mark")
    script = tmp_path / "paper.py"
    script.write_text(PAPER.format(dbs=make_conninfo(dsn, options=f"-c search_path={keyed}")))
    printed = tmp_path / "printed"
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(CHECKOUT)}
    with printed.open("w") as output:
        worker = subprocess.Popen(
            [sys.executable, str(script)], env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        until(lambda: "Set WEDSQL_WORKER_KEY_FILE" in printed.read_text(), what=printed.read_text)
        assert f'Workers of flow "{keyed}" need a key' in printed.read_text()
        assert statuses(db, wids) == {"R": 1}
    finally:
        worker.kill()
        worker.wait()


def test_a_client_of_the_paper_reads_a_rotated_key_again_and_ends_with_a_revoked_one(
    dsn: str, keyed: str, db: Db, tmp_path: Path
) -> None:
    name = f"k-{keyed}"
    file = key_file(tmp_path / "key", api.workers.create_key(name, {keyed: []}, "ann", conn=db))
    script = tmp_path / "paper.py"
    script.write_text(PAPER.format(dbs=make_conninfo(dsn, options=f"-c search_path={keyed}")))
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(CHECKOUT),
        "WEDSQL_WORKER_KEY_FILE": file,
    }
    worker = subprocess.Popen(
        [sys.executable, str(script)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        first = start(db, keyed, "mark")
        until(lambda: statuses(db, first) == {"F": 1}, what="a job done with the key")
        key_file(tmp_path / "key", api.workers.rotate_key(name, "ann", grace=timedelta(0), conn=db))
        wids = start(db, keyed, "mark", 3)
        until(lambda: statuses(db, wids) == {"F": 3}, what="jobs done with the new secret")
        api.workers.revoke_key(name, "lost", "ann", conn=db)
        assert "was revoked" in worker.communicate(timeout=60)[0].decode()
    finally:
        worker.kill()
        worker.wait()
