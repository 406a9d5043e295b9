"""Keys of workers (W-037): who may take and finish the jobs of a flow that requires them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from flows import api
from flows.errors import WorkerKeyRejected
from flows.tests.kit import Connection, Kit, refused
from flows.types import ClaimedJob

pytestmark = pytest.mark.kernel

SPAN = timedelta(minutes=1)
TAKES = {
    "take": "select * from {f}.take('{{tr_x}}', 1, 'ship')",
    "hold": "select * from {f}.hold('{{tr_x}}', 1, 'ship')",
    "lease": "select * from {f}.lease('{{tr_x}}', 1, 'ship')",
    "by name": "select * from wedsql.take('{name}', '{{tr_x}}', 1, 'ship')",
}


@pytest.fixture
def keyed(one: Kit) -> Kit:
    """A flow whose workers need keys, with a second transition."""
    one.trig("tr_y", "a = '3'")
    one.policy(worker_keys=True)
    return one


def create(kit: Kit, name: str = "k", *transitions: str, **options: Any) -> str:
    """Create a key for the flow; its name ends with that of the flow, as keys are not removed."""
    scope = {kit.name: transitions}
    return api.workers.create_key(f"{name}-{kit.name}", scope, "ann", conn=kit.conn, **options)


def worker(kit: Kit, key: str | None = None) -> Connection:
    """Return a new session, logged in with the key."""
    conn = kit.connect(user="wed_worker")
    if key is not None:
        api.workers.log_in(key, conn=conn)
    return conn


def taking(kit: Kit, way: str, conn: Connection) -> list[Any]:
    return kit.rows(TAKES[way].replace("{name}", kit.name), (), conn)


def leased(kit: Kit, conn: Connection, actor: str = "ship") -> ClaimedJob:
    (job,) = api.jobs.lease_many(kit.name, ["tr_x"], 1, actor, duration=SPAN, conn=conn)
    return job


@pytest.mark.parametrize("way", TAKES)
def test_a_job_is_taken_only_with_a_key_for_its_transition(keyed: Kit, way: str) -> None:
    keyed.start(a="1")
    with refused("WD570"):
        taking(keyed, way, worker(keyed))
    with refused("WD572") as why:
        taking(keyed, way, worker(keyed, create(keyed, "y", "tr_y")))
    assert why.facts["transition"] == "tr_x"
    assert len(taking(keyed, way, worker(keyed, create(keyed, "x", "tr_x")))) == 1


def test_a_key_of_another_flow_is_not_enough(keyed: Kit, kit: Kit) -> None:
    name = f"g_{keyed.name}"
    api.flows.create(name, conn=kit.conn)
    try:
        key = api.workers.create_key(f"o-{keyed.name}", {name: []}, "ann", conn=kit.conn)
        with refused("WD572"):
            taking(keyed, "take", worker(keyed, key))
    finally:
        api.flows.drop(name, conn=kit.conn)


def test_a_flow_without_the_option_asks_for_no_key(one: Kit) -> None:
    one.start(a="1")
    assert len(taking(one, "take", worker(one))) == 1
    sources = "select string_agg(prosrc, '') from pg_proc where pronamespace = %s::regnamespace"
    assert not {"_check_worker", "_check_results"} & {*re.findall(r"\w+", one.one(sources, [one.name]))}


def test_the_worker_has_the_name_of_its_key(keyed: Kit) -> None:
    wid = keyed.start(a="1")
    conn = worker(keyed, create(keyed))
    job = leased(keyed, conn)
    assert keyed.pending(wid)[0].lckid == f"k-{keyed.name}/ship"
    api.jobs.complete(job, {"a": "2"}, actor="ship", conn=conn)
    assert keyed.trace(wid)[-1].actor == f"k-{keyed.name}/ship"


def test_the_name_of_a_worker_of_another_key_is_rejected(keyed: Kit) -> None:
    keyed.start(a="1")
    conn = worker(keyed, create(keyed))
    create(keyed, "other")
    with refused("WD573"):
        leased(keyed, conn, f"other-{keyed.name}/ship")
    assert leased(keyed, conn, f"k-{keyed.name}/ship")


def test_the_lease_of_another_key_is_rejected_even_with_its_claim(keyed: Kit) -> None:
    wid = keyed.start(a="1")
    job = leased(keyed, worker(keyed, create(keyed)))
    thief = worker(keyed, create(keyed, "thief"))
    for call in (
        lambda: api.jobs.complete(job, {"a": "2"}, conn=thief),
        lambda: api.jobs.fail(job, "no", conn=thief),
        lambda: api.jobs.extend(job, SPAN, conn=thief),
        lambda: api.jobs.release(job, conn=thief),
    ):
        with refused("WD573"):
            call()
    with refused("WD570"):
        api.jobs.complete(job, {"a": "2"}, conn=worker(keyed))
    assert (keyed.status(wid), keyed.pending(wid)[0].attempts) == ("R", 0)


def test_a_held_job_is_finished_only_with_the_key(keyed: Kit) -> None:
    wid = keyed.start(a="1")
    key = create(keyed)
    conn = worker(keyed, key)
    (job,) = taking(keyed, "hold", conn)
    finish = "select {f}.complete_held(%s, %s, %s, 'ship')"
    api.workers.log_out(conn=conn)
    given = [wid, job.job_id, '{"a": "2"}']
    with refused("WD570"):
        keyed.one(finish, given, conn)
    keyed.rows("select set_config('wedsql.worker_login', 'on', false)", (), conn)
    with refused("WD570"):
        keyed.one(finish, given, conn)
    api.workers.log_in(key, conn=conn)
    assert keyed.one(finish, given, conn) == 2
    assert keyed.trace(wid)[-1].actor == f"k-{keyed.name}/ship"


def test_a_client_of_the_paper_needs_the_key_for_its_update(keyed: Kit) -> None:
    wid = keyed.start(a="1")
    key, conn = create(keyed), keyed.connect()
    keyed.rows("set wedsql.actor = 'paper'", (), conn)
    update = "update {f}.wed_flow set a = '2' where wid = %s"
    with refused("WD570"), conn.transaction():
        keyed.lock(conn, wid, keyed.pending(wid)[0].tgid)
        keyed.rows(update, [wid], conn)
    with conn.transaction():
        keyed.one("select {f}.log_in_worker(%s, 'transaction')", [key], conn)
        keyed.lock(conn, wid, keyed.pending(wid)[0].tgid)
        keyed.rows(update, [wid], conn)
    assert (keyed.status(wid), keyed.trace(wid)[-1].actor) == ("F", f"k-{keyed.name}/paper")


def test_a_log_in_for_a_transaction_ends_with_it(keyed: Kit) -> None:
    keyed.start(a="1")
    conn, key = worker(keyed), create(keyed)
    with conn.transaction():
        api.workers.log_in(key, transaction=True, conn=conn)
        assert len(taking(keyed, "take", conn)) == 1
    with refused("WD570"):
        taking(keyed, "take", conn)
    # The next client of a pooled session writes the setting, and still has no log-in.
    keyed.rows("select set_config('wedsql.worker_login', 'on', false)", (), conn)
    with refused("WD570"):
        taking(keyed, "take", conn)


@pytest.mark.parametrize("key", ["", "wedkey_", "wedkey_" + "0" * 64, "x" * 100_000])
def test_what_is_no_key_logs_in_nobody_and_ends_the_log_in_before(keyed: Kit, key: str) -> None:
    conn = worker(keyed, create(keyed))
    with refused("WD571"):
        api.workers.log_in(key, conn=conn)
    with refused("WD570"):
        taking(keyed, "take", conn)


@pytest.mark.parametrize("way", TAKES)
@pytest.mark.parametrize("forgets", [False, True])
def test_a_session_that_invents_the_setting_is_not_logged_in(keyed: Kit, way: str, forgets: bool) -> None:
    conn = worker(keyed, create(keyed) if forgets else None)
    if forgets:
        conn.execute("discard sequences")
    keyed.rows("select set_config('wedsql.worker_login', 'on', false)", (), conn)
    with refused("WD570"):
        taking(keyed, way, conn)
    with refused("42501"):
        conn.execute("select setval('wedsql.login_secret', 1)")
    with refused("42501"):
        conn.execute("select * from wedsql.worker_secret")


def test_rotating_keeps_the_old_secret_for_the_grace_period(keyed: Kit) -> None:
    old = create(keyed)
    conn = worker(keyed, old)
    new = api.workers.rotate_key(f"k-{keyed.name}", "bob", grace=timedelta(hours=2), conn=keyed.conn)
    assert taking(keyed, "take", conn) == [] == taking(keyed, "take", worker(keyed, new))
    keyed.clock("121 minutes", conn)
    with refused("WD571"):
        taking(keyed, "take", conn)
    with refused("WD571"):
        api.workers.log_in(old, conn=conn)
    api.workers.log_in(new, conn=conn)
    (key,) = [k for k in api.workers.list_keys(conn=keyed.conn, limit=200) if k.scope == {keyed.name: []}]
    assert (key.created_by, key.rotated_by, key.used_at is not None) == ("ann", "bob", True)
    assert old not in repr(key) and new not in repr(key)


def test_rotating_without_grace_ends_every_older_secret(keyed: Kit) -> None:
    old, name = create(keyed), f"k-{keyed.name}"
    middle = api.workers.rotate_key(name, "ann", conn=keyed.conn)
    new = api.workers.rotate_key(name, "ann", grace=timedelta(0), conn=keyed.conn)
    for each in (old, middle):
        with pytest.raises(WorkerKeyRejected):
            api.workers.log_in(each, conn=keyed.conn)
    assert api.workers.log_in(new, conn=keyed.conn) == name


def test_revoking_releases_the_leases_of_the_key_and_of_no_other(keyed: Kit) -> None:
    first, second = keyed.start(a="1"), keyed.start(a="1")
    conn = worker(keyed, create(keyed))
    job, other = leased(keyed, conn), worker(keyed, create(keyed, "other"))
    kept = leased(keyed, other)
    assert api.workers.revoke_key(f"k-{keyed.name}", "laptop lost", "bob", conn=keyed.conn) == 1
    assert (job.wid, kept.wid) == (first, second)
    assert [keyed.pending(wid)[0].state for wid in (first, second)] == ["P", "L"]
    assert (keyed.logged(first), keyed.pending(first)[0].attempts) == (["released"], 0)
    for call in (lambda: api.jobs.complete(job, {"a": "2"}, conn=conn), lambda: taking(keyed, "take", conn)):
        with refused("WD571"):
            call()
    assert leased(keyed, other).id == job.id
    assert api.jobs.complete(kept, {"a": "2"}, conn=other).status == "F"


def test_a_job_held_with_a_key_that_is_revoked_is_not_finished(keyed: Kit) -> None:
    wid = keyed.start(a="1")
    conn = worker(keyed, create(keyed))
    with refused("WD571"), conn.transaction():
        (job,) = api.jobs.take_many(keyed.name, ["tr_x"], 1, conn=conn)
        api.workers.revoke_key(f"k-{keyed.name}", "lost", "ann", conn=keyed.conn)
        api.jobs.complete(job, {"a": "2"}, conn=conn)
    assert keyed.status(wid) == "R"


def reap(kit: Kit, offset: str = "0") -> None:
    reaper = kit.connect("wed_reaper")
    kit.clock(offset, reaper)
    kit.rows("select wedsql.reap()", (), reaper)


@pytest.mark.parametrize("act", ["lease", "extend"])
def test_a_lease_that_is_committed_after_the_revocation_is_released(keyed: Kit, act: str) -> None:
    """Its transaction checked the key before, and the revocation does not wait for it."""
    wid = keyed.start(a="1")
    conn = worker(keyed, create(keyed))
    job = leased(keyed, conn) if act == "extend" else None
    with conn.transaction():
        if job:
            api.jobs.extend(job, timedelta(hours=1), conn=conn)
        else:
            leased(keyed, conn)
        assert api.workers.revoke_key(f"k-{keyed.name}", "lost", "ann", conn=keyed.conn) == 0
    assert keyed.pending(wid)[0].state == "L"
    reap(keyed)
    assert (keyed.pending(wid)[0].state, keyed.logged(wid)) == ("P", ["released"])
    assert leased(keyed, worker(keyed, create(keyed, "other"))).wid == wid


def test_a_lease_ends_with_its_key(keyed: Kit) -> None:
    wid = keyed.start(a="1")
    conn = worker(keyed, create(keyed, expires=datetime.now(UTC) + timedelta(hours=1)))
    api.jobs.lease_many(keyed.name, ["tr_x"], 1, "ship", duration=timedelta(hours=9), conn=conn)
    reap(keyed, "59 minutes")
    assert keyed.pending(wid)[0].state == "L"
    reap(keyed, "61 minutes")
    assert (keyed.pending(wid)[0].state, keyed.logged(wid)) == ("P", ["released"])


def test_a_key_expires(keyed: Kit) -> None:
    key = create(keyed, expires=datetime.now(UTC) + timedelta(hours=1))
    conn = worker(keyed, key)
    assert taking(keyed, "take", conn) == []
    may = "select wedsql.may_work(%s, %s)"
    assert keyed.one(may, [keyed.name, "tr_x"], conn)
    keyed.clock("61 minutes", conn)
    with refused("WD571"):
        taking(keyed, "take", conn)
    assert not keyed.one(may, [keyed.name, "tr_x"], conn)


@pytest.mark.parametrize(
    ("name", "scope", "code"),
    [
        ("", {"{f}": []}, "WD575"),
        ("a/b", {"{f}": []}, "WD575"),
        ("x" * 41, {"{f}": []}, "WD575"),
        ("ok", {}, "WD575"),
        ("ok", {"nowhere": []}, "WD001"),
        ("ok", {"nowhere": ["tr_x"]}, "WD001"),
        ("ok", {"{f}": ["tr_none"]}, "WD575"),
    ],
)
def test_a_key_needs_a_name_and_flows_that_exist(keyed: Kit, name: str, scope: Any, code: str) -> None:
    real = {flow.replace("{f}", keyed.name): names for flow, names in scope.items()}
    with refused(code):
        api.workers.create_key(name, real, "ann", conn=keyed.conn)


def test_the_name_of_a_key_is_never_used_again(keyed: Kit) -> None:
    create(keyed)
    name = f"k-{keyed.name}"
    with refused("WD575"):
        api.workers.revoke_key(name, " ", "ann", conn=keyed.conn)
    api.workers.revoke_key(name, "lost", "ann", conn=keyed.conn)
    for call in (
        lambda: create(keyed),
        lambda: api.workers.revoke_key(name, "again", "ann", conn=keyed.conn),
        lambda: api.workers.rotate_key(name, "ann", conn=keyed.conn),
    ):
        with refused("WD575"):
            call()
    with refused("WD574"):
        api.workers.rotate_key("no such key", "ann", conn=keyed.conn)
    listed = api.workers.list_keys(all=True, after=f"k-{keyed.name}"[:-1], limit=1, conn=keyed.conn)
    assert [(k.name, k.revoked_by, k.revoked_for) for k in listed] == [(name, "ann", "lost")]


def test_a_long_transaction_of_a_worker_does_not_delay_the_revocation(keyed: Kit) -> None:
    key = create(keyed)
    first, second = worker(keyed), worker(keyed)
    with first.transaction():
        api.workers.log_in(key, conn=first)  # writes the use, and keeps its row until the commit
        second.execute("set lock_timeout = '5s'")
        api.workers.log_in(key, conn=second)
        keyed.rows("set lock_timeout = '5s'")
        assert api.workers.revoke_key(f"k-{keyed.name}", "lost", "ann", conn=keyed.conn) == 0


def test_a_job_can_be_assigned_to_a_worker_with_a_key(keyed: Kit) -> None:
    wid = keyed.start(a="1")
    key, name = create(keyed), f"k-{keyed.name}/ship"
    conn = worker(keyed, key)
    api.workers.register("other", "ship", "host", 1, [f"{keyed.name}:tr_x"], conn=conn)
    assert keyed.one("select name from wedsql.worker where serves = %s", [[f"{keyed.name}:tr_x"]]) == name
    api.operations.reassign_job(wid, keyed.pending(wid)[0].id, name, reason="hers", conn=keyed.conn)
    assert taking(keyed, "take", worker(keyed, create(keyed, "other"))) == []
    assert len(taking(keyed, "take", conn)) == 1


def test_a_worker_sees_which_transitions_it_may_serve(keyed: Kit) -> None:
    may = "select wedsql.may_work(%s, %s)"
    conn = worker(keyed, create(keyed, "x", "tr_x"))
    asked = [keyed.one(may, [keyed.name, name], conn) for name in ("tr_x", "tr_y")]
    assert asked == [True, False] and not keyed.one(may, [keyed.name, "tr_x"])


def test_a_worker_with_a_key_is_found_by_its_name_in_flows_without_keys(one: Kit) -> None:
    wid = one.start(a="1")
    conn = worker(one, create(one))
    name = f"k-{one.name}/ship"
    api.workers.register("other", "ship", "host", 1, [f"{one.name}:tr_x"], conn=conn)
    api.operations.reassign_job(wid, one.pending(wid)[0].id, name, reason="hers", conn=one.conn)
    assert taking(one, "take", worker(one)) == []
    assert len(taking(one, "take", conn)) == 1
