"""The paper's protocol with an independent client: another process and driver, no code of this product."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, tgid
from testkit.waiting import until

pytestmark = pytest.mark.kernel
PROGRAM = Path(__file__).resolve().parents[1] / "paper_client.py"


class Paper:
    """The process of one client; each command returns its answer."""

    def __init__(self, dsn: str, schema: str, transition: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(PROGRAM), dsn, schema, transition],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.pid = self.answer()["pid"]

    def answer(self) -> dict[str, Any]:
        """Read the next line of its output."""
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def send(self, command: str) -> None:
        """Send a command without waiting for the answer."""
        assert self.process.stdin
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def __call__(self, command: str) -> dict[str, Any]:
        self.send(command)
        return self.answer()

    def scan(self) -> list[dict[str, Any]]:
        """Return the pending jobs that it sees."""
        self.send("scan")
        found = []
        while (line := self.answer())["what"] == "job":
            found.append(line)
        return found

    def step(self, wid: int, tgid: int, change: str) -> None:
        """Do a whole transition."""
        assert self(f"lock {wid} {tgid}")["granted"]
        assert self(f"update {wid} {change}") == {"what": "updated", "rows": 1}
        assert self("commit")["what"] == "committed"

    def close(self) -> None:
        """End the process and the pipes."""
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def paper(fig2: Kit, dsn: str) -> Iterator[Callable[[str], Paper]]:
    """A function `paper(transition)` that starts a client of figure 2's flow."""
    clients: list[Paper] = []

    def start(transition: str) -> Paper:
        clients.append(Paper(dsn, fig2.name, transition))
        return clients[-1]

    yield start
    for client in clients:
        client.close()


def test_w085_a_whole_run_of_figure2(fig2: Kit, paper: Callable[[str], Paper]) -> None:
    wid = fig2.one("insert into {f}.wed_flow default values returning wid")
    for transition, change in (("tr_a2", "a2='done'"), ("tr_a3", "a3='done'"), ("tr_final", "a1='over'")):
        client = paper(transition)
        job = client.scan()[0]
        assert job["wid"] == wid
        client.step(wid, job["tgid"], change)
    assert fig2.status(wid) == "F"
    assert [row.trw for row in fig2.trace(wid)] == ["_INIT", "tr_a2", "tr_a3", "tr_final"]


@pytest.mark.parametrize("text", ['O\'Hara "x"', "x" * 9000])
def test_w095_w096_k32_the_notification_names_the_job(
    fig2: Kit, paper: Callable[[str], Paper], text: str
) -> None:
    """The state is read from the pool: any role may listen, and a message has under 8,000 bytes."""
    client = paper("tr_a2")
    wid = fig2.start(a3=text)
    answer = client("wait")
    assert (answer["what"], answer["channel"]) == ("notified", "tr_a2")
    (job,) = [job for job in fig2.pending(wid) if job.trname == "tr_a2"]
    assert answer["message"] == {
        "id": job.id,
        "wid": wid,
        "tgid": tgid(fig2, "tr_a2"),
        "trname": "tr_a2",
        "payload": None,
    }
    assert client.scan()[0]["payload"] == {"a1": "ready", "a2": None, "a3": text}


def test_w078_two_conditions_two_notifications(fig2: Kit, paper: Callable[[str], Paper]) -> None:
    clients = [paper(transition) for transition in ("tr_a2", "tr_a3")]
    wid = fig2.start()
    assert [client("wait")["message"]["wid"] for client in clients] == [wid, wid]


def test_w111b_a_rolled_back_start_is_not_notified(fig2: Kit, paper: Callable[[str], Paper]) -> None:
    client = paper("tr_a2")
    with fig2.conn.transaction(force_rollback=True):
        fig2.start()
    wid = fig2.start()
    assert client("wait")["message"]["wid"] == wid


def test_w087_two_clients_race_one_gets_it(fig2: Kit, paper: Callable[[str], Paper]) -> None:
    wid, number = fig2.start(), tgid(fig2, "tr_a2")
    first, second = paper("tr_a2"), paper("tr_a2")
    assert first(f"lock {wid} {number}")["granted"]
    assert not second(f"lock {wid} {number}")["granted"]
    assert second(f"update {wid} a2='mine'")["code"] == "WD201"
    second("rollback")
    first(f"update {wid} a2='done'")
    first("commit")
    assert second(f"lock {wid} {number}")["granted"], "the lock is free, but the job is gone"
    assert second(f"update {wid} a2='mine'")["code"] == "WD201"
    assert fig2.state(wid)["a2"] == "done"


def test_w090_without_a_lock(fig2: Kit, paper: Callable[[str], Paper]) -> None:
    wid = fig2.start()
    error = paper("tr_a2")(f"update {wid} a2='done'")
    assert error["code"] == "WD201"
    assert "pg_try_advisory_xact_lock" in error["message"], "it says what to do"


def test_k07_with_the_lock_of_another_job(fig2: Kit, paper: Callable[[str], Paper]) -> None:
    wid, other = fig2.start(), fig2.start()
    client = paper("tr_a2")
    client(f"lock {other} {tgid(fig2, 'tr_a2')}")
    assert client(f"update {wid} a2='done'")["code"] == "WD202"


def test_k11_a_dead_client_gives_the_job_back(fig2: Kit, paper: Callable[[str], Paper]) -> None:
    wid, number = fig2.start(), tgid(fig2, "tr_a2")
    dying, next_one = paper("tr_a2"), paper("tr_a2")
    dying(f"lock {wid} {number}")
    dying(f"update {wid} a2='half'")
    dying.process.kill()
    dying.process.wait()

    def granted() -> bool:
        if next_one(f"lock {wid} {number}")["granted"]:
            return True
        next_one("rollback")
        return False

    until(granted)
    next_one(f"update {wid} a2='done'")
    next_one("commit")
    assert fig2.state(wid)["a2"] == "done"
    assert len(fig2.trace(wid)) == 2


def test_k09_a_late_client_is_refused_without_a_reaper(fig2: Kit, paper: Callable[[str], Paper]) -> None:
    fig2.rows("update {f}.wed_trig set timeout = '50 milliseconds' where trname = 'tr_a2'")
    wid = fig2.start()
    client = paper("tr_a2")
    client(f"lock {wid} {tgid(fig2, 'tr_a2')}")
    fig2.rows("select pg_sleep(0.08)")
    assert client(f"update {wid} a2='late'")["code"] == "WD204"
    client("rollback")
    assert fig2.state(wid)["a2"] is None and fig2.jobs(wid) == ["tr_a2", "tr_a3"]


def test_w107_a_late_client_is_ended_by_the_reaper(fig2: Kit, dsn: str) -> None:
    wid = fig2.start()
    fig2.one("select wedsql.open_flow_role(%s)", [fig2.name])
    client = Paper(f"{dsn} user={fig2.name}", fig2.name, "tr_a3")
    client(f"lock {wid} {tgid(fig2, 'tr_a3')}")
    fig2.reap()
    assert fig2.reap("31 seconds")["ended"] == 1
    error = client("scan")
    client.close()
    assert error["what"] == "error" and error["code"] in (None, "57P01")
    assert fig2.logged(wid) == ["timeout"]
    fig2.one("select wedsql.close_flow_role(%s)", [fig2.name])


def test_w097_w098_a_job_older_than_the_client_is_found_by_scanning(
    fig2: Kit, paper: Callable[[str], Paper]
) -> None:
    wids = [fig2.start() for _ in range(3)]
    assert [job["wid"] for job in paper("tr_a2").scan()] == wids


def test_w112_own_live_workers_silence_the_channel_until_such_a_client_is_seen(
    fig2: Kit, paper: Callable[[str], Paper]
) -> None:
    client = paper("tr_a3")
    worker = api.register_worker("cluster", "own", "here", 1, [f"{fig2.name}:tr_a3"], conn=fig2.conn)
    api.heartbeat(worker, False, conn=fig2.conn)
    quiet = fig2.start()
    job = client.scan()[0]
    client.step(quiet, job["tgid"], "a3='done'")
    second = fig2.start()
    assert client("wait")["message"]["wid"] == second, "the first start was not notified, this one is"
    api.unregister_worker(worker, conn=fig2.conn)
