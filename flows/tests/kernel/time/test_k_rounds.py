"""A round of the reaper costs what is due, however much waits, and what waits keeps back nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from psycopg import Rollback

from flows import api
from flows.capabilities.recovery.policies import RecoveryPolicy
from flows.tests.kit import Kit, broken
from testkit.cases import long

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

MANY = 100_000 if long() else 5_000
LOOKS = 3_000  # so many rows a round may read of what waits, whatever its number
ROUND = "reap continue_children continue_bulk decide_late run_policies sign_cases end_waits".split()
BESIDE = (
    "due_moves()", "due_case_digests(50, 'cases')", "due_case_digests(50, 'tasks')", "due_message_mails(50)",
    "take_delivery('1 minute')", "take_alert_rule('15 seconds')",
)  # fmt: skip
ROW = "select 1500000000 + g as wid, g from generate_series(1, %(many)s) g"
INSTANCES = f"""
insert into wedsql.instance (wid, flow_id, status, version, started_at, changed_at)
select wid, %(flow)s, %(status)s::"char", 1, now(), now() from ({ROW}) r;
insert into {{f}}.wed_flow (wid) select wid from ({ROW}) r
"""
JOBS = f"""
insert into wedsql.job_pool (wid, tgid, flow_id, trname, payload, fired_at, fired_xid, cause_seq, version,
                             late, state, claim, lckid, lease_until)
select wid, t.tgid, %(flow)s, t.trname, '{{}}', now(), 1, 0, 1, %(late)s, %(job)s::"char",
       case when %(job)s = 'L' then g end, case when %(job)s = 'L' then 'w' end,
       case when %(job)s = 'L' then now() + interval '1 hour' end
from ({ROW}) r cross join wedsql.trig t where t.flow_id = %(flow)s and t.trname = %(transition)s
"""
CASES = f"""
insert into wedsql.repair_case (flow_id, wid, cause, transition, seq, signed_seq, opened_at, opened_seq,
                                state, lease_until, waits_until, waits_for, waits_seq)
select %(flow)s, wid, 'STUCK', 'tr_x', 0, 0, now(), 0, %(state)s,
       case when %(state)s = 'claimed' then now() + interval '1 hour' end,
       case when %(state)s = 'waiting' then now() + interval '1 hour' end,
       case when %(state)s = 'waiting' then 'a = ''9''' else '' end, 0 from ({ROW}) r
"""
SIGNALS = f"""
insert into wedsql.signal (flow_id, name, wid, key, data, actor, sent_at, state, keep_until)
select %(flow)s, 'paying', case when not %(keyed)s then wid end, case when %(keyed)s then 'none ' || g end,
       '{{}}', 'bank', now(), 'K', now() + interval '1 day' from ({ROW}) r
"""
HELD = "%(task)s in ('S', 'X', 'L')"
TASKS = f"""
insert into wedsql.task (job_id, wid, tgid, flow_id, state, audience, owner, owned_at, hidden_until,
                         arrived_at, due_at)
select j.id, j.wid, j.tgid, j.flow_id, %(task)s::"char", 'r:Clerk', case when {HELD} then 'ana' end,
       case when {HELD} then now() end, case when %(aside)s then now() + interval '1 hour' end, now(),
       case when %(late)s then now() - interval '1 hour' else 'infinity' end
from wedsql.job_pool j join wedsql.trig t on t.tgid = j.tgid
where t.trname = 'tr_person' and j.flow_id = %(flow)s
"""
OF_PEOPLE = """
update wedsql.job_pool j
set assigned_to = '', lease_until = case when j.state = 'L' then 'infinity'::timestamptz end
from wedsql.trig t where t.tgid = j.tgid and t.trname = 'tr_person' and j.flow_id = %(flow)s
"""
MOVES = f"""
with p as (
  insert into wedsql.move_peer (id, name, public_key, url, flows, enabled, changed_by, changed_at)
  values (gen_random_uuid(), 'there', sha256('1'), %(url)s, '{{*}}', %(on)s, 'ana', now()) returning id)
insert into wedsql.move (id, direction, flow, peer_id, origin, origin_wid, counter, state, actor, reason,
                         begun_at, expires_at, next_at)
select gen_random_uuid(), 'O', 'f', p.id, p.id, wid, 1, 'released', 'ana', 'x', now(),
       now() + interval '1 day', now() + %(next)s::interval
from p cross join ({ROW}) r
"""
# What waits -> the statements that make it, each with what fills them.
Made = list[tuple[str, dict[str, object]]]
RUNNING: tuple[str, dict[str, object]] = (INSTANCES, {"status": "R"})
EXCEPTIONS: tuple[str, dict[str, object]] = (INSTANCES, {"status": "E"})


def jobs(transition: str, state: str = "P", *, late: bool = False) -> tuple[str, dict[str, object]]:
    return JOBS, {"transition": transition, "job": state, "late": late}


def tasks(state: str, job: str, status: str = "R", *, aside: bool = False, late: bool = False) -> Made:
    given: dict[str, object] = {"task": state, "aside": aside, "late": late}
    return [(INSTANCES, {"status": status}), jobs("tr_person", job), (OF_PEOPLE, {}), (TASKS, given)]


WAITING: dict[str, Made] = {
    "signals for keys of no instance": [(SIGNALS, {"keyed": True})],
    "signals for instances that do not wait": [RUNNING, (SIGNALS, {"keyed": False})],
    "jobs that wait for a signal": [RUNNING, jobs("paying")],
    "jobs within their pickup deadline": [RUNNING, jobs("tr_x")],
    "jobs that are late": [RUNNING, jobs("tr_x", late=True)],
    "leases": [RUNNING, jobs("tr_x", "L")],
    "automatic jobs of exceptions": [EXCEPTIONS, jobs("tr_set")],
    "automatic jobs of suspended instances": [(INSTANCES, {"status": "S"}), jobs("tr_set", "S")],
    "cases that no policy suits": [EXCEPTIONS, (CASES, {"state": "new"})],
    "cases that persons have": [EXCEPTIONS, (CASES, {"state": "claimed"})],
    "cases that wait for a condition": [EXCEPTIONS, (CASES, {"state": "waiting"})],
    "timers": [RUNNING, (f"insert into wedsql.timer (wid, tgid, flow_id, due_at) select wid, t.tgid,"
        f" %(flow)s, now() + interval '1 hour' from ({ROW}) r cross join wedsql.trig t"
        " where t.flow_id = %(flow)s and t.trname = 'tr_wait'", {})],
    "times of starts": [("insert into wedsql.start_time (flow_id, entry, base_at, due_at) select %(flow)s,"
        f" 'start_' || g, now(), now() + interval '1 hour' from ({ROW}) r", {})],
    "children": [RUNNING, ("insert into wedsql.child_job (parent_wid, job_id, flow_id, tgid, total, started)"
        f" select wid, g, %(flow)s, 0, 1, 1 from ({ROW}) r", {}),
        ("insert into wedsql.child (wid, parent_wid, job_id, number, root_wid, depth)"
         f" select wid, wid, g, 1, wid, 1 from ({ROW}) r", {})],
    "repairs that wait for approvals": [EXCEPTIONS, ("insert into wedsql.proposal (flow_id, version, wid,"
        " operation, arguments, reason, maker, expected_seq, needed, title, approvers, proposed_at,"
        " expires_at)"
        " select %(flow)s, 1, wid, 'cancel', '{}', 'x', 'ana', 0, 1, '', '{}', now(), now() +"
        f" interval '1 hour' from ({ROW}) r", {})],
    "late results": [RUNNING, ("insert into wedsql.late_result (flow_id, wid, job_id, tgid, transition,"
        " base_seq, changes, code, actor, received_at, look_at) select %(flow)s, wid, g, 1, 'tr_x', 0, '{}',"
        f" 'WD204', 'w', now(), now() + interval '1 hour' from ({ROW}) r", {})],
    "skipped jobs": [RUNNING, ("insert into wedsql.skipped (wid, tgid, flow_id, seq) select wid, t.tgid,"
        f" %(flow)s, 0 from ({ROW}) r cross join wedsql.trig t where t.flow_id = %(flow)s"
        " and t.trname = 'tr_x'", {})],
    "signals that were delivered": [("insert into wedsql.signal (flow_id, name, wid, data, actor, sent_at,"
        " state, settled_at) select %(flow)s, 'paying', wid, '{}', 'bank', now(), 'D', now()"
        f" from ({ROW}) r", {})],
    "tasks that are open": tasks("R", "P"),
    "tasks that are late": tasks("R", "P", late=True),
    "tasks that persons have": tasks("S", "L"),
    "tasks that persons have begun": tasks("X", "L"),
    "tasks that are locked": tasks("L", "L"),
    "tasks that are put aside": tasks("S", "L", aside=True),
    "tasks of suspended instances": tasks("H", "S", "S"),
    "tasks of exceptions": tasks("H", "K", "E"),
    "moves to a disabled installation": [(MOVES, {"url": "https://x.example", "on": False, "next": "-1 h"})],
    "moves of files": [(MOVES, {"url": None, "on": True, "next": "-1 h"})],
    "moves that are tried later": [(MOVES, {"url": "https://x.example", "on": True, "next": "1 h"})],
    "messages that are tried later": [("insert into wedsql.delivery (channel, target, next_at, message)"
        f" select 'mail', 'a@x.example', now() + interval '1 hour', '{{}}' from ({ROW}) r", {})],
    "mails of the next day": [("insert into wedsql.case_digest (user_id, queue, every, language, since,"
        " next_at, about) select wid, '', 'day', 'en', now(), now() + interval '1 day', 'tasks'"
        f" from ({ROW}) r", {})],
    "messages that are no mails": [("insert into wedsql.message (person, kind, flow_id, wid, job_id, at)"
        f" select 'ana', 'd', %(flow)s, wid, 1, now() from ({ROW}) r", {})],
    "alerts of the next hour": [("insert into wedsql.alert_rule (flow_id, name, kind, sign, threshold,"
        " changed_by, changed_at, next_at) select %(flow)s, g::text, 'count', '>', 1, 'ana', now(),"
        f" now() + interval '1 hour' from ({ROW}) r", {})],
    "absences": [("insert into wedsql.absence (person, from_at, until_at, substitute, changed_at)"
        f" select 'p' || g, now(), now() + interval '1 day', 'q', now() from ({ROW}) r", {})],
    "instances that have ended": [(INSTANCES, {"status": "F"})],
    "parts of paused bulk operations": [("with b as (insert into wedsql.bulk (operation, flows, actor,"
        " reason, state, total, created_at, changed_at, changed_by) values ('cancel', '{}', 'ana', 'x',"
        " 'paused', 1, now(), now(), 'ana') returning id)"
        " insert into wedsql.bulk_row (bulk_id, wid, flow_id, status)"
        f" select b.id, wid, %(flow)s, 'R' from b cross join ({ROW}) r", {})],
}  # fmt: skip


@pytest.fixture
def shop(kit: Kit) -> Iterator[Kit]:
    """A flow with each option for which something waits; what a test adds is rolled back."""
    kit.attrs("a", "number", "paid", "done")
    kit.attr("todo", kind="integer")
    kit.rows("update {f}.wed_attr set business_key = true where aname = 'number'")
    kit.trig("tr_x", "a = '1'", max_attempts=1, pickup_deadline="1 day")
    kit.trig("paying", "a = '2' and paid is null", signal=True, keep="1 day", writes=["paid"])
    kit.trig("tr_set", "a = '1' and done is null", performer="database", sets="done = 'yes'")
    kit.trig("tr_count", "todo > 0", performer="database", sets="todo = todo - 1")
    kit.trig("tr_wait", "a = '3'", due_after="1 day")
    kit.trig("tr_first", "a = '0'")
    kit.trig(
        "tr_person", "a = '7'", performer="person", role="Clerk", deadline="1 hour", pickup_deadline="1 day"
    )
    kit.trig("tr_name", "number = '?'")
    kit.final("a = 'end'")
    policies = [RecoveryPolicy("never", "cancel", cause="LOOP")]
    api.repairs.save_policies(kit.name, policies, "ana", conn=kit.conn)
    with kit.conn.transaction() as everything:
        yield kit
        raise Rollback(everything)


def wait(kit: Kit, made: Made) -> None:
    """Add so many of what waits."""
    for text, given in made:
        kit.conn.execute("set local session_replication_role = replica")
        if "wedsql.repair_case" in text:
            kit.conn.execute("set local session_replication_role = origin")
        for statement in text.replace("{f}", f'"{kit.name}"').split(";\n"):
            kit.conn.execute(statement, {"flow": kit.id, "many": MANY} | given)
    kit.conn.execute("set local session_replication_role = origin")
    kit.conn.execute("analyze wedsql.signal, wedsql.job_pool, wedsql.instance, wedsql.repair_case")
    kit.conn.execute("analyze wedsql.move, wedsql.delivery, wedsql.case_digest, wedsql.message")
    kit.conn.execute("analyze wedsql.proposal, wedsql.timer, wedsql.skipped, wedsql.late_result")


def one_round(kit: Kit) -> Counter[str]:
    """Return how many rows of each table a round of the reaper reads."""
    read = (
        "select relname, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as rows"
        " from pg_stat_xact_all_tables where schemaname = 'wedsql' or schemaname = {n}"
    )
    before = Counter({row.relname: row.rows for row in kit.rows(read)})
    for call in (*(f"{each}()" for each in ROUND), *BESIDE):
        kit.one(f"select wedsql.{call}")
    return Counter({row.relname: row.rows for row in kit.rows(read)}) - before


@pytest.mark.parametrize("what", WAITING)
def test_a_round_reads_as_much_however_many_wait(shop: Kit, what: str) -> None:
    alone = one_round(shop)
    wait(shop, WAITING[what])
    if what.startswith("cases"):  # each is new, so the policies look at it once
        shop.one("select wedsql.run_policies(%s)", [MANY])
    if what == "jobs that wait for a signal":  # they were fired just now, and are looked at once
        last = shop.one("select max(id) from wedsql.job_pool")
        looks = "update wedsql.care set looks = jsonb_build_object('fired', %s) where flow_id = %s"
        shop.rows(looks, [last, shop.id])
    for _ in range(2):
        more = one_round(shop) - alone
        assert more.total() < LOOKS, more


def test_a_signal_is_delivered_however_many_are_kept_before_it(shop: Kit) -> None:
    """At once when its job is fired; in the end also where nothing but its key has changed."""
    wait(shop, WAITING["signals for keys of no instance"])
    first, second = shop.start(a="0", number="A-1"), shop.start(a="2", number="?")
    for key in ("A-1", "B-2"):
        api.signals.send(shop.name, "paying", {"paid": key}, to=key, conn=shop.conn)
    shop.run("tr_first", first, a="2")
    one_round(shop)
    assert shop.state(first)["paid"] == "A-1"
    shop.run("tr_name", second, number="B-2")
    rounds = 0
    while shop.state(second)["paid"] is None:
        one_round(shop)
        rounds += 1
        assert rounds <= MANY // 200 + 2
    assert shop.state(second)["paid"] == "B-2"


def test_an_automatic_job_is_performed_however_many_wait_before_it(shop: Kit) -> None:
    wait(shop, [EXCEPTIONS, jobs("tr_count")])
    wid = shop.start(a="0", todo=300)
    assert shop.jobs(wid) == ["tr_count", "tr_first"]
    for _ in range(MANY // 1000 + 2):
        one_round(shop)
    assert (shop.state(wid)["todo"], shop.jobs(wid)) == (0, ["tr_first"])


def test_a_long_chain_is_performed_in_parts(shop: Kit) -> None:
    """A commit performs 250 steps of it, and a round of the reaper as many again."""
    wid = shop.start(a="0", todo=600)
    assert (shop.state(wid)["todo"], shop.status(wid)) == (350, "R") and broken(shop) == []
    shop.one("select wedsql.reap()")
    assert shop.state(wid)["todo"] == 100
    shop.one("select wedsql.reap()")
    assert (shop.state(wid)["todo"], shop.jobs(wid)) == (0, ["tr_first"])
