"""Which conditions hold, what they fire and the contents of each job (K-01 to K-05, K-24, K-26, K-30)."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel


def test_k01_all_true_conditions_fire_in_order_of_tgid(kit: Kit) -> None:
    kit.attrs("a")
    first, second, third = (kit.numbered_trig(name, "a = '1'") for name in ("tr_z", "tr_m", "tr_a"))
    wid = kit.start(a="1")
    assert kit.jobs(wid) == ["tr_z", "tr_m", "tr_a"]
    row = kit.trace(wid)[0]
    assert (row.trf, row.fired) == (["tr_z", "tr_m", "tr_a"], [first, second, third])


def test_k02_null_does_not_satisfy(kit: Kit) -> None:
    kit.attrs("a1")
    kit.trig("tr_x", "a1 = 'go'")
    kit.final("a1 <> 'ready'")
    with refused("WD101"):
        kit.start()
    assert kit.status(kit.start(a1="other")) == "F"


@pytest.mark.parametrize(
    ("value", "holds"),
    [("1", True), ("0", False), (None, False)],
)
def test_w003_truth_table(kit: Kit, value: str | None, holds: bool) -> None:
    kit.attrs("a")
    kit.trig("tr_yes", "a = '1'")
    kit.trig("tr_always", "a is null or a is not null")
    assert ("tr_yes" in kit.jobs(kit.start(a=value))) is holds


def test_k03_failing_predicate_counts_as_not_true(kit: Kit) -> None:
    kit.attrs("a", "b")
    bad = kit.numbered_trig("tr_bad", "a::integer = 1", tgname="casts")
    kit.trig("tr_good", "b = '1'")
    wid = kit.start(a="abc", b="1")
    assert kit.jobs(wid) == ["tr_good"]
    error = kit.trace(wid)[0].errors[0]
    assert (error["tgid"], error["sqlstate"], error["trigger"]) == (bad, "22P02", "casts")
    kept = kit.rows("select n, sqlstate, wid from wedsql.condition_error where tgid = %s", [bad])[0]
    assert tuple(kept) == (1, "22P02", wid)


def test_k03_one_of_fifty_predicates_fails_the_others_fire(kit: Kit) -> None:
    kit.attrs("a", "b")
    for n in range(49):
        kit.trig(f"tr_{n}", "b = '1'")
    kit.trig("tr_bad", "1 / (length(a) - 3) = 1")
    assert len(kit.jobs(kit.start(a="abc", b="1"))) == 49


def test_k03_first_state_with_failing_predicates_only_is_refused(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_bad", "a::integer = 1", tgname="casts")
    with refused("WD106") as why:
        kit.start(a="abc")
    assert "casts" in why.message and "22P02" in why.message
    assert kit.one("select count(*) from {f}.wed_flow") == 0


def test_k03_on_error_abort_refuses_the_commit(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_bad", "a::integer = 1", on_error="abort")
    kit.trig("tr_good", "b = '1'")
    wid = kit.start(a="2", b="1")
    with refused("WD106"):
        kit.run("tr_good", wid, a="abc")
    assert kit.state(wid) == {"a": "2", "b": "1"}
    assert kit.jobs(wid) == ["tr_good"]


def test_k03_error_after_the_start_makes_the_exception_say_so(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_one", "a::integer = 1")
    wid = kit.start(a="1")
    kit.run("tr_one", wid, a="abc")
    assert kit.status(wid) == "E"
    assert kit.instance(wid).reason == "CONDITION_ERROR"


def test_k03_other_flows_are_not_touched(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_bad", "a::integer = 1")
    name = f"{kit.name}_b"
    api.flows.create(name, conn=kit.conn)
    other = Kit(name, kit.connect)
    other.attrs("a")
    other.trig("tr_x", "a = 'abc'")
    assert other.jobs(other.start(a="abc")) == ["tr_x"]
    api.flows.drop(name, force=True, conn=kit.conn)


def test_k04_pending_job_keeps_its_first_payload(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_slow", "a = '1'")
    kit.trig("tr_quick", "b = '1'")
    wid = kit.start(a="1", b="1")
    kit.run("tr_quick", wid, b="2")
    slow = kit.pending(wid)[0]
    assert slow.payload == {"a": "1", "b": "1"}
    assert kit.trace(wid)[1].trf == []


def test_k04_refresh_payload_renews_it(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_slow", "a = '1'", refresh_payload=True)
    kit.trig("tr_quick", "b = '1'")
    wid = kit.start(a="1", b="1")
    kit.run("tr_quick", wid, b="2")
    assert kit.pending(wid)[0].payload == {"a": "1", "b": "2"}


def test_k24_matched_has_the_true_disjuncts(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_or", "a = '1' or b = '1' or b = '2'")
    wid = kit.start(a="1", b="2")
    with kit.conn.transaction(force_rollback=True):
        assert kit.take("tr_or", wid).matched == [1, 3]


def test_k24_matched_is_of_the_firing_not_of_now(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_or", "a = '1' or b = '1'")
    kit.trig("tr_other", "a = '1'")
    wid = kit.start(a="1")
    kit.run("tr_other", wid, b="1", a="0")
    with kit.conn.transaction(force_rollback=True):
        job = kit.take("tr_or", wid)
    assert job.matched == [1]
    assert job.payload["b"] is None and job.state["b"] == "1"


def test_k30_a_condition_that_stays_true_fires_again_at_other_commits(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_mail", "a = '1'")
    kit.trig("tr_other", "b = '1'")
    wid = kit.start(a="1", b="1")
    kit.run("tr_mail", wid, b="1")
    assert kit.trace(wid)[1].trf == ["tr_mail"], "its own commit"
    with kit.conn.transaction():
        job = kit.take("tr_mail", wid)
        kit.rows("select 1")
        assert job.id > 0
    kit.run("tr_other", wid, b="0")
    assert "tr_mail" in kit.jobs(wid)


def test_k30_fire_once_per_instance(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_mail", "a = '1'", fire_once=True)
    kit.trig("tr_loop", "b < '3'")
    wid = kit.start(a="1", b="0")
    kit.run("tr_mail", wid)
    kit.run("tr_loop", wid, b="1")
    assert kit.jobs(wid) == ["tr_loop"]
    assert [row.trf for row in kit.trace(wid)] == [["tr_mail", "tr_loop"], [], ["tr_loop"]]


def _two_tasks(kit: Kit, revalidate: str) -> int:
    kit.attrs("a", "b")
    kit.trig("tr_a", "a = '1'", revalidate=revalidate)
    kit.trig("tr_b", "b = '1'")
    wid = kit.start(a="1", b="1")
    kit.run("tr_b", wid, a="0", b="1")
    return wid


def test_k26_none_the_job_stays_runnable(kit: Kit) -> None:
    wid = _two_tasks(kit, "none")
    assert kit.jobs(wid) == ["tr_a", "tr_b"]
    kit.run("tr_a", wid, a="2")
    assert kit.state(wid)["a"] == "2"


def test_k26_withdraw_removes_it_with_the_commit_that_made_it_false(kit: Kit) -> None:
    wid = _two_tasks(kit, "withdraw")
    assert kit.jobs(wid) == ["tr_b"]
    assert kit.logged(wid) == ["withdrawn"]


def test_k26_at_take_it_is_withdrawn_when_taken(kit: Kit) -> None:
    wid = _two_tasks(kit, "at_take")
    assert kit.jobs(wid) == ["tr_a", "tr_b"]
    with pytest.raises(AssertionError, match="no job of tr_a"):
        kit.take("tr_a", wid)
    assert kit.jobs(wid) == ["tr_b"]
    assert kit.logged(wid) == ["withdrawn"]


def test_k26_at_take_the_last_job_makes_an_exception(kit: Kit) -> None:
    wid = _two_tasks(kit, "at_take")
    kit.run("tr_b", wid, b="0")
    with pytest.raises(AssertionError, match="no job of tr_a"):
        kit.take("tr_a", wid)
    assert kit.jobs(wid) == ["_EXCPT"], "nothing is left to do, and that is seen"
    assert kit.status(wid) == "E"


def test_k26_at_take_by_lease(kit: Kit) -> None:
    wid = _two_tasks(kit, "at_take")
    with pytest.raises(AssertionError, match="no job of tr_a"):
        kit.lease("tr_a")
    assert kit.jobs(wid) == ["tr_b"]


@pytest.mark.parametrize("way", ["take", "hold", "lease"])
def test_k26_at_take_passes_over_an_instance_that_another_session_writes(kit: Kit, way: str) -> None:
    """No lock of that instance is kept, and its job is available to the next call."""
    kit.attrs("a")
    tgid = kit.numbered_trig("tr_a", "a = '1'", revalidate="at_take")
    busy, free = kit.start(a="1"), kit.start(a="1")
    query = f"select wid from {{f}}.{way}(array['tr_a'], 2)"
    if way == "lease":
        query = f"select wid from wedsql.lease('{kit.name}', array['tr_a'], 2, 'tester')"
    kit.rows("set lock_timeout = '2s'")
    writer, other = kit.connect(), kit.connect()
    with kit.conn.transaction() if way == "take" else nullcontext():
        with writer.transaction():
            kit.rows("select from {f}.wed_flow where wid = %s for no key update", [busy], writer)
            assert [row.wid for row in kit.rows(query)] == [free]
            with other.transaction():
                assert kit.lock(other, busy, -1)
                assert kit.lock(other, busy, tgid)
        assert busy in [row.wid for row in kit.rows(query)]


def test_k35_no_word_filter(kit: Kit) -> None:
    kit.attrs("updated_at", "created", "selected", "a1")
    kit.trig("tr_x", "updated_at is not null and created = 'deleted' and a1 = 'update'")
    wid = kit.start(updated_at="x", created="deleted", a1="update", selected="no")
    assert kit.jobs(wid) == ["tr_x"]


def test_w031_operators_of_a_where_clause(kit: Kit) -> None:
    kit.attrs("a", "b")
    predicates = [
        "a like 'x%'",
        "b between '1' and '3'",
        "b in ('2', '9')",
        "a is not null",
        "b::integer + 1 = 3",
        "upper(a) = 'XY'",
        "case when b = '2' then true else false end",
        "a ~ '^x'",
    ]
    for n, predicate in enumerate(predicates):
        kit.trig(f"tr_{n}", predicate)
    assert len(kit.jobs(kit.start(a="xy", b="2"))) == len(predicates)


def test_w051_apostrophes_in_predicates(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = 'O''Hara'")
    assert kit.jobs(kit.start(a="O'Hara")) == ["tr_x"]
