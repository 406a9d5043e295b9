"""The rights of a session follow from what it holds, never from a setting it writes or a number it reads."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from flows.tests.kit import Connection, Kit, refused
from testkit.cases import pairs
from testkit.waiting import until

pytestmark = pytest.mark.kernel
ROLE = "wed_worker"
LATE = 0.4  # seconds, where a job has 0.3
KNOWN = {
    "actor", "bulk_size", "changed_by", "crowd", "held", "job", "keeps_no_locks", "noted", "reason",
    "round_over", "takes", "took_jobs", "tried_violated", "worker_login", "wrote",
}  # fmt: skip


def settings(kit: Kit) -> list[str]:
    """Return each setting that a function of the kernel or of the flow reads."""
    sources = kit.one(
        "select string_agg(prosrc, ' ') from pg_proc where pronamespace in"
        " ('wedsql'::regnamespace, 'wed_match'::regnamespace, %s::regnamespace)",
        [kit.name],
    )
    return sorted({*re.findall(r"current_setting\(\s*'wedsql\.(\w+)'", sources)} - {"test_offset"})


def forge(session: Connection, **values: str) -> None:
    if values.get("took_jobs"):  # where an earlier kernel kept the time
        values = {"took": "9999999999"} | values
    for name, value in values.items():
        session.execute("select set_config(%s, %s, false)", [f"wedsql.{name}", value])


def call_as(kit: Kit, session: Connection, call: str, *values: Any) -> Any:
    """Return the first row of a call, or its error; successful changes are kept."""
    try:
        return (kit.rows(call, values, session) or [None])[0]
    except psycopg.Error as error:
        session.rollback()
        return error


FINISH = (
    "select * from {f}.complete_many(array[%s], array[%s]::bigint[], array[%s]::bigint[],"
    ' array[\'{"a": "2"}\'::jsonb])'
)
ENDS = [
    FINISH,
    "select * from {f}.fail_many(array[%s], array[%s]::bigint[], array[%s]::bigint[], array['no'])",
]
HELD = 'select {f}.complete_held(%s, %s, \'{"a": "2"}\')'


def stored(kit: Kit) -> Any:
    """Return everything that is stored of the flow's jobs and instances."""
    tables = ("instance", "job_pool", "job_log", "wed_trace")
    query = "select jsonb_agg(to_jsonb(x) order by to_jsonb(x)::text) from wedsql.{} x where flow_id = %s"
    return [kit.one(query.format(table), [kit.id]) for table in tables]


@pytest.fixture
def worker(one: Kit) -> Iterator[Connection]:
    session = one.connect(user=ROLE)
    yield session
    session.close()


@pytest.fixture
def short(one: Kit) -> Kit:
    """The flow, with a short timeout for its transition."""
    one.rows("update {f}.wed_trig set timeout = '0.3 seconds' where trname = 'tr_x'")
    return one


def test_every_setting_of_the_kernel_is_known_here(one: Kit) -> None:
    """A new one needs a review: what does a session gain that writes it?"""
    assert {*settings(one)} == KNOWN


@pytest.mark.parametrize("copied", [False, True], ids=["invented", "copied"])
def test_no_setting_gives_a_job_that_was_not_taken(one: Kit, worker: Connection, copied: bool) -> None:
    other = one.connect(user=ROLE)
    wid, taken = one.start(a="1"), one.start(a="1")
    job, theirs = one.pending(wid)[0].id, one.pending(taken)[0].id
    other.execute("begin")
    one.rows("select * from {f}.take('{tr_x}', 1, null, array[%s]::bigint[])", [theirs], other)
    names = settings(one)
    real = {n: one.one("select current_setting(%s, true)", [f"wedsql.{n}"], other) or "" for n in names}
    invented = ["", "on", "0", "-1", "9" * 30, "Infinity", "nonsense", f",{job},{theirs},", f"{job}"]
    tried = 0
    before = stored(one)
    for value, chosen in pairs([None] if copied else invented, [[name] for name in names] + [names], 4):
        worker.execute("discard all")
        forge(worker, **{n: real[n] if value is None else value for n in chosen})
        for call in ENDS:
            call_as(one, worker, call, wid, job, None)
            call_as(one, worker, call, taken, theirs, None)
        for number in ((wid, job), (taken, theirs)):
            call_as(one, worker, HELD, *number)
        assert stored(one) == before, (chosen, value)
        tried += 1
    assert tried >= len(names)
    other.execute("rollback")


def test_a_job_that_another_holds_is_not_got_by_a_list(one: Kit, worker: Connection) -> None:
    """Not even by a session that took a job of its own, whose settings exist."""
    mine, theirs = one.start(a="1"), one.start(a="1")
    other = one.connect(user=ROLE)
    other.execute("begin")
    one.rows(
        "select * from {f}.take('{tr_x}', 1, null, array[%s]::bigint[])", [one.pending(theirs)[0].id], other
    )
    worker.execute("begin")
    one.rows("select * from {f}.take('{tr_x}')", [], worker)
    forge(worker, took_jobs=f",{one.pending(theirs)[0].id},{one.pending(mine)[0].id},")
    row = call_as(one, worker, FINISH, theirs, one.pending(theirs)[0].id, None)
    assert (row.ok, row.sqlstate) == (False, "WD203")
    other.execute("rollback")


def taken_once(kit: Kit, session: Connection) -> None:
    """Take a job in the session and end the transaction, so that the settings exist."""
    wid = kit.start(a="1")
    kit.rows(
        "select * from {f}.take('{tr_x}', 1, null, array[%s]::bigint[])", [kit.pending(wid)[0].id], session
    )
    kit.one("select wedsql.cancel(%s, 'done')", [wid])


def test_a_forged_list_gives_no_job_before_its_time(one: Kit, worker: Connection) -> None:
    """A job that take would not offer yet cannot be completed either."""
    taken_once(one, worker)
    wid = one.start(a="1")
    job = one.pending(wid)[0].id
    one.rows("update wedsql.job_pool set not_before = now() + interval '1 hour' where id = %s", [job])
    forge(worker, took_jobs=f",{job},")
    row = call_as(one, worker, FINISH, wid, job, None)
    assert (row.ok, row.sqlstate) == (False, "WD201")


def test_a_forged_list_gives_no_job_that_take_would_drop(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_x", "a = '1'", revalidate="at_take")
    kit.trig("tr_y", "b = '1'")
    kit.final("a = '2'")
    worker = kit.connect(user=ROLE)
    taken_once(kit, worker)
    wid = kit.start(a="1", b="1")
    kit.run("tr_y", wid, a="3", b=None)
    job = next(j.id for j in kit.pending(wid) if j.trname == "tr_x")
    forge(worker, took_jobs=f",{job},")
    row = call_as(kit, worker, FINISH, wid, job, None)
    assert (row.ok, row.sqlstate) == (False, "WD201")


def test_a_forged_list_gives_no_job_before_an_older_one(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_x", "a = '1'")
    kit.trig("tr_x", "b = '1'")
    kit.final("a = '2'")
    worker = kit.connect(user=ROLE)
    taken_once(kit, worker)
    wid = kit.start(a="1", b="1")
    job = max(j.id for j in kit.pending(wid))
    forge(worker, took_jobs=f",{job},")
    row = call_as(kit, worker, FINISH, wid, job, None)
    assert (row.ok, row.sqlstate) == (False, "WD201")


TRICKS = [
    "select set_config('wedsql.took_jobs', '', false)",
    "select set_config('wedsql.takes', '', false)",
    "select set_config('wedsql.took', '', false)",
    "select set_config('wedsql.took', extract(epoch from clock_timestamp())::text, false)",
    "select set_config('wedsql.held', extract(epoch from clock_timestamp())::text, false)",
    "reset all",
    "discard sequences",
]


@pytest.mark.parametrize(
    ("tricks", "first"),
    pairs([[t] for t in TRICKS] + [TRICKS], [False, True], 2),
    ids=lambda each: ("new" if each else "used") if isinstance(each, bool) else ", ".join(each)[:40],
)
def test_k09_no_session_makes_its_time_longer(
    short: Kit, worker: Connection, tricks: list[str], first: bool
) -> None:
    """Whatever it sets or resets, even if it takes the job again: its lock was never released."""
    if not first:
        taken_once(short, worker)
    wid = short.start(a="1")
    job = short.pending(wid)[0].id
    take = "select * from {f}.take('{tr_x}', 1, null, array[%s]::bigint[])"
    worker.execute("begin")
    short.rows(take, [job], worker)
    worker.execute("select pg_sleep(%s)", [LATE])
    for trick in tricks:
        worker.execute(trick)  # type: ignore[call-overload]
    call_as(short, worker, take, job)
    row = call_as(short, worker, FINISH, wid, job, None)
    assert isinstance(row, psycopg.Error) or (not row.ok and row.sqlstate in ("WD201", "WD204"))
    worker.rollback()
    assert short.status(wid) == "R"


@pytest.mark.parametrize("trick", TRICKS, ids=[t[:40] for t in TRICKS])
def test_k09_no_session_makes_the_time_of_a_hold_longer(short: Kit, worker: Connection, trick: str) -> None:
    wid = short.start(a="1")
    short.rows("select * from {f}.hold('{tr_x}')", [], worker)
    worker.execute("select pg_sleep(%s)", [LATE])
    worker.execute(trick)  # type: ignore[call-overload]
    answer = call_as(short, worker, HELD, wid, short.pending(wid)[0].id)
    assert isinstance(answer, psycopg.Error) and answer.sqlstate in ("WD204", "WD201", "55000")
    assert short.status(wid) == "R"


def test_k08_a_held_job_is_recognized_whatever_the_session_writes(one: Kit) -> None:
    """By the paper's UPDATE under a lock that outlives the transaction."""
    one.one("select wedsql.open_flow_role(%s)", [one.name])
    session = one.connect(user=one.name)
    wid = one.start(a="1")
    one.rows("select * from {f}.hold('{tr_x}')", [], session)
    forge(session, **dict.fromkeys(KNOWN - {"job"}, ""))
    with refused("WD207"):
        one.rows("update {f}.wed_flow set a = '2' where wid = %s", [wid], session)
    session.close()
    one.one("select wedsql.close_flow_role(%s)", [one.name])


def test_no_login_reads_a_claim(one: Kit) -> None:
    """A claim authorizes completing the lease: no pool or view shows it, and it cannot be guessed."""
    for _ in range(20):
        one.start(a="1")
    claims = [
        row.claim for row in one.rows("select claim from wedsql.lease(%s, '{tr_x}', 20, 'ann')", [one.name])
    ]
    assert len({*claims}) == 20 and min(claims) > 0 and sum(c > 2**40 for c in claims) == 20
    one.one("select wedsql.open_flow_role(%s)", [one.name])
    readers = ["wed_web", "wed_worker", "wed_reaper", "wed_monitor", "wed_eval", "wed_view", one.name]
    seen = one.rows(
        "select r.role, c.oid::regclass::text as name from unnest(%s::text[]) r (role), pg_attribute a"
        " join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace"
        " where a.attname = 'claim' and c.relkind in ('r', 'p', 'v', 'm') and n.nspname !~ '^pg_'"
        " and has_schema_privilege(r.role, n.oid, 'usage')"
        " and has_column_privilege(r.role, c.oid, a.attnum, 'select')",
        [readers],
    )
    assert {row.name for row in seen if "wed_trace" not in row.name} == set(), (
        "a used claim is history, another is not"
    )
    one.one("select wedsql.close_flow_role(%s)", [one.name])


@pytest.mark.parametrize("way", ["lease", "take"])
def test_a_claim_is_given_to_one_session_alone(kit: Kit, way: str) -> None:
    """The second session reads the job just before it is leased, and gets its lock just afterwards."""
    kit.attrs("a", "b")
    kit.trig("tr_x", "a = '1'")
    kit.trig("tr_x", "b = '1'")  # so that the second session reads the triggers between reading and locking
    kit.final("a = '2'")
    kit.start(a="1")
    first, second, stop = kit.connect(), kit.connect(), kit.connect()
    lease = f"select job_id, claim from wedsql.lease('{kit.name}', array['tr_x'], 1, 'ann')"
    ask_second = lease if way == "lease" else "select job_id, claim from {f}.take('{tr_x}')"
    pid = {conn: conn.info.backend_pid for conn in (first, second, stop)}
    first.execute("begin")
    assert kit.rows(lease, [], first)

    def waits(conn: Connection) -> Callable[[], bool]:
        return lambda: bool(kit.one("select 1 from pg_locks where pid = %s and not granted", [pid[conn]]))

    stop.execute("begin")
    locker = threading.Thread(target=stop.execute, args=["lock table wedsql.trig in access exclusive mode"])
    locker.start()
    until(waits(stop))
    answer: list[Any] = []
    asker = threading.Thread(target=lambda: answer.extend(kit.rows(ask_second, [], second)))
    asker.start()
    until(waits(second))
    first.execute("commit")
    locker.join()
    stop.execute("commit")
    asker.join()
    assert answer == []


@pytest.mark.parametrize("function", ["pg_advisory_lock", "pg_try_advisory_lock"])
def test_k08_a_lock_of_the_session_is_noticed_by_whichever_function(one: Kit, function: str) -> None:
    """The role of a flow may call neither, unless one of them was granted to it."""
    one.one("select wedsql.open_flow_role(%s)", [one.name])
    one.rows(f"grant execute on function {function}(integer, integer) to {{f}}")
    session = one.connect(user=one.name)
    wid = one.start(a="1")
    one.rows(f"select {function}(wid, tgid) from {{f}}.job_pool where wid = %s", [wid], session)
    with refused("WD207"):
        one.rows("update {f}.wed_flow set a = '2' where wid = %s", [wid], session)
    session.close()
    one.one("select wedsql.close_flow_role(%s)", [one.name])
