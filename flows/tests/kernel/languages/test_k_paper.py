"""The paper's protocol with an independent client: another process and driver, no code of this product."""

from __future__ import annotations

import json
import subprocess
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, tgid
from testkit.waiting import until

pytestmark = pytest.mark.kernel
PROGRAM = Path(__file__).resolve().parents[2] / "paper_client.py"


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


@pytest.fixture
def fig2_alone(fig2: Kit) -> Iterator[Kit]:
    """Fig2 on a server without log-in roles of other flows that earlier tests may have left."""
    found = fig2.rows("select distinct unnest(names) as role from wedsql.state_withheld(%s)", [fig2.name])
    for row in found:
        fig2.one(f'alter role "{row.role}" nologin')
    yield fig2
    for row in found:
        fig2.one(f'alter role "{row.role}" login')


def message_of(fig2: Kit, client: Paper, **state: Any) -> dict[str, Any]:
    """Start an instance and return the message about its job; its other keys are the columns of the job."""
    wid = fig2.start(**state)
    answer = client("wait")
    assert (answer["what"], answer["channel"]) == ("notified", "tr_a2")
    (job,) = [job for job in fig2.pending(wid) if job.trname == "tr_a2"]
    message: dict[str, Any] = answer["message"]
    assert list(message) == ["id", "wid", "tgid", "trname", "lckid", "timeout", "payload"]
    found = {name: message[name] for name in ("id", "wid", "tgid", "trname", "lckid")}
    number = tgid(fig2, "tr_a2")
    assert found == {"id": job.id, "wid": wid, "tgid": number, "trname": "tr_a2", "lckid": None}
    assert message["timeout"] == "3 days 18:00:00"
    (scanned,) = [each for each in client.scan() if each["wid"] == wid]
    assert scanned["payload"] == {"a1": "ready", "a2": None, "a3": None} | state
    return message


@pytest.mark.parametrize("text", ['O\'Hara "x"', "ä" * 3000, "\n\x01", ""])
def test_w095_w096_the_notification_is_the_new_job(
    fig2_alone: Kit, paper: Callable[[str], Paper], text: str
) -> None:
    """Section 5.1: the client has all that it needs, and performs the job without a query."""
    client = paper("tr_a2")
    message = message_of(fig2_alone, client, a3=text)
    assert message["payload"] == {"a1": "ready", "a2": None, "a3": text}
    client.step(message["wid"], message["tgid"], "a2='done'")
    assert fig2_alone.state(message["wid"])["a2"] == "done"


@pytest.mark.parametrize("letter", ["x", "ä", "🂡"])
def test_k32_a_state_that_does_not_fit_is_read_from_the_pool(
    fig2_alone: Kit, paper: Callable[[str], Paper], letter: str
) -> None:
    """PostgreSQL rejects messages of 8,000 bytes or more, and the commit that sends one."""
    client, sizes = paper("tr_a2"), range(1, 8000)
    if fig2_alone.one("show client_encoding") != "UTF8":
        letter = "x"  # sessions that cannot write the others

    def fits(count: int) -> bool:
        return message_of(fig2_alone, client, a3=letter * count)["payload"] is not None

    most = sizes[bisect_left(sizes, True, key=lambda count: not fits(count))] - 1
    fig2_alone.start(a3=letter * most)
    assert 8000 - len(letter.encode()) <= client("wait")["size"] < 8000


OTHERS = {
    "option": "update wedsql.flow set notify_state = {value} where name = '{flow}'",
    "masked": "update {flow}.wed_attr set visibility = '{value}' where aname = 'a3'",
    "hidden": "update {flow}.wed_attr set visibility = '{value}' where aname = 'a1'",
    "role": 'alter role "reads-elsewhere" {value}',
}
WITHHELD = {
    "option": ("false", "true", [("option", [])]),
    "masked": ("masked", "everyone", [("attributes", ["a3"])]),
    "hidden": ("hidden", "everyone", [("attributes", ["a1"])]),
    "role": ("login", "nologin", [("roles", ["reads-elsewhere"])]),
}


@pytest.mark.parametrize("case", OTHERS)
def test_the_state_is_withheld_while_others_may_not_see_it(
    fig2_alone: Kit, paper: Callable[[str], Paper], case: str
) -> None:
    client, flow = paper("tr_a2"), fig2_alone.name
    fig2_alone.one('drop role if exists "reads-elsewhere"')
    fig2_alone.one('create role "reads-elsewhere" nologin')
    seen: list[bool] = []
    withheld, shown, reasons = WITHHELD[case]
    for value in (shown, withheld, shown):
        fig2_alone.one(OTHERS[case].format(flow=flow, value=value))
        found = fig2_alone.rows("select reason, names from wedsql.state_withheld(%s)", [flow])
        assert [(row.reason, row.names) for row in found] == (reasons if value == withheld else [])
        seen.append(message_of(fig2_alone, client)["payload"] is not None)
    assert seen == [True, False, True]
    fig2_alone.one('drop role "reads-elsewhere"')


def test_the_role_of_the_flow_itself_gets_the_state_and_that_of_another_withholds_it(
    fig2_alone: Kit, paper: Callable[[str], Paper]
) -> None:
    admin, client, other = fig2_alone.conn, paper("tr_a2"), f"{fig2_alone.name}_other"
    api.flows.open_role(fig2_alone.name, conn=admin)
    assert message_of(fig2_alone, client)["payload"]
    api.flows.create(other, conn=admin)
    assert message_of(fig2_alone, client)["payload"]
    api.flows.open_role(other, conn=admin)
    assert message_of(fig2_alone, client)["payload"] is None
    admin.execute(f'alter role "{other}" in database {admin.info.dbname} reset all')
    assert message_of(fig2_alone, client)["payload"] is None, "it may log in all the same"
    api.flows.close_role(fig2_alone.name, conn=admin)
    admin.execute(f'drop owned by "{other}"; drop role "{other}"')
    assert message_of(fig2_alone, client)["payload"]
    api.flows.drop(other, force=True, conn=admin)


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
    worker = api.workers.register("cluster", "own", "here", 1, [f"{fig2.name}:tr_a3"], conn=fig2.conn)
    api.workers.heartbeat(worker, False, conn=fig2.conn)
    quiet = fig2.start()
    job = client.scan()[0]
    client.step(quiet, job["tgid"], "a3='done'")
    second = fig2.start()
    assert client("wait")["message"]["wid"] == second, "the first start was not notified, this one is"
    api.workers.unregister(worker, conn=fig2.conn)
