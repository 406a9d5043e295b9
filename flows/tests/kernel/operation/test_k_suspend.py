"""A suspended instance fires nothing, gives no jobs to workers and accepts no result, until it is resumed."""

from __future__ import annotations

import pytest

from flows import api
from flows.tests.kit import Kit, broken, refused

pytestmark = pytest.mark.kernel


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attrs("a", "b")
    kit.trig("tr_x", "a = '1'", backoff="1 hour")
    kit.trig("tr_y", "b = '1'")
    kit.final("a = '2' and b = '2'")
    return kit


def test_r11_its_jobs_are_offered_to_no_worker(shop: Kit) -> None:
    wid, other = shop.start(a="1", b="1"), shop.start(a="1")
    api.operations.suspend(wid, "Wait for the customer.", actor="olga", conn=shop.conn)
    assert shop.status(wid) == "S"
    assert {job.wid for job in api.jobs.offer(shop.name, ["tr_x", "tr_y"], conn=shop.conn)} == {other}
    with shop.step():
        assert [j.wid for j in api.jobs.take_many(shop.name, ["tr_x", "tr_y"], 9, conn=shop.conn)] == [other]
    assert [
        j.wid for j in api.jobs.lease_many(shop.name, ["tr_x", "tr_y"], 9, holder="w", conn=shop.conn)
    ] == [other]
    assert shop.rows(f"select wid from {shop.name}.hold('{{tr_x,tr_y}}', 9)") == []
    assert broken(shop) == []


def test_r11_it_goes_on_where_it_was(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    api.operations.suspend(wid, "Wait.", actor="olga", conn=shop.conn)
    api.operations.resume(wid, "Go on.", actor="otto", conn=shop.conn)
    assert (shop.status(wid), shop.jobs(wid)) == ("R", ["tr_x", "tr_y"])
    shop.run("tr_x", wid, a="2")
    shop.run("tr_y", wid, b="2")
    assert shop.status(wid) == "F"
    steps = shop.rows("select trw, actor, reason, status from wedsql.wed_trace where wid = %s order by seq",
                      [wid])  # fmt: skip
    assert [tuple(one) for one in steps[1:3]] == [
        ("_SUSPEND", "olga", "Wait.", "S"),
        ("_RESUME", "otto", "Go on.", "R"),
    ]
    assert broken(shop) == []


def test_r11_the_result_of_a_job_taken_before_is_rejected(shop: Kit) -> None:
    wid = shop.start(a="1")
    operator = shop.connect()
    with refused("WD105"), shop.step():
        job = shop.take("tr_x", wid)
        api.operations.suspend(wid, "Wait.", conn=operator)
        shop.complete(job, {"a": "2"})
    assert (shop.state(wid)["a"], shop.status(wid)) == ("1", "S")
    assert broken(shop) == []


def test_r11_a_lease_ends_and_its_result_is_rejected(shop: Kit) -> None:
    wid = shop.start(a="1")
    job = shop.lease("tr_x")
    api.operations.suspend(wid, "Wait.", conn=shop.conn)
    with refused("WD105"):
        api.jobs.complete(job, {"a": "2"}, conn=shop.conn)
    with refused("WD105"):
        api.jobs.extend(job, "1 hour", conn=shop.conn)
    api.operations.resume(wid, "Go on.", conn=shop.conn)
    with refused("WD203"):
        api.jobs.complete(job, {"a": "2"}, conn=shop.conn)
    shop.run("tr_x", wid, a="2", b="2")
    assert shop.status(wid) == "F"


def test_r11_a_failed_attempt_does_not_offer_the_job_again(shop: Kit) -> None:
    wid = shop.start(a="1")
    worker = shop.connect()
    with worker.transaction():
        (job,) = api.jobs.take_many(shop.name, ["tr_x"], 1, conn=worker)
        api.operations.suspend(wid, "Wait.", conn=shop.conn)
        api.jobs.fail(job, "It broke.", conn=worker)
    assert [(j.state, j.attempts) for j in shop.pending(wid)] == [("S", 0)]
    assert broken(shop) == []


def test_r11_a_client_of_the_paper_is_rejected(shop: Kit) -> None:
    wid = shop.start(a="1")
    (job,) = shop.pending(wid)
    api.operations.suspend(wid, "Wait.", conn=shop.conn)
    client = shop.connect()
    with refused("WD105"), client.transaction():
        assert shop.lock(client, wid, job.tgid)
        client.execute(f"update {shop.name}.wed_flow set a = '2' where wid = %s", [wid])


def test_r11_its_clocks_stand_still(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_later", "a = '1'", due_after="2 hours")
    kit.trig("tr_slow", "a = '1'", pickup_deadline="3 hours")
    wid = kit.start(a="1")
    kit.clock("1 hour")
    api.operations.suspend(wid, "Wait.", conn=kit.conn)
    done = kit.reap("100 hours")
    assert (done["timers"], done["late"], kit.jobs(wid)) == (0, 0, ["tr_slow"])
    kit.clock("100 hours")
    api.operations.resume(wid, "Go on.", conn=kit.conn)
    assert (kit.reap("100 hours 59 minutes")["timers"], kit.reap("101 hours 1 minute")["timers"]) == (0, 1)
    assert (kit.reap("101 hours 59 minutes")["late"], kit.reap("102 hours 1 minute")["late"]) == (0, 1)


def test_r11_a_due_time_that_passed_fires_when_it_is_resumed(kit: Kit) -> None:
    kit.attrs("a")
    kit.attr("due", None, "timestamptz")
    kit.trig("tr_remind", "a = '1'", due_attr="due")
    wid = kit.start(a="1", due=kit.one("select wedsql.now() + interval '1 hour'"))
    api.operations.suspend(wid, "Wait.", conn=kit.conn)
    assert kit.reap("2 hours")["timers"] == 0
    kit.clock("2 hours")
    api.operations.resume(wid, "Go on.", conn=kit.conn)
    assert (kit.reap("2 hours")["timers"], kit.jobs(wid)) == (1, ["tr_remind"])


def test_r11_the_rest_of_a_back_off_remains(shop: Kit) -> None:
    wid = shop.start(a="1")
    shop.fail("tr_x", wid)
    shop.clock("10 minutes")
    api.operations.suspend(wid, "Wait.", conn=shop.conn)
    shop.clock("5 hours")
    api.operations.resume(wid, "Go on.", conn=shop.conn)
    assert api.jobs.offer(shop.name, ["tr_x"], conn=shop.conn) == []
    shop.clock("7 hours")
    assert [job.wid for job in api.jobs.offer(shop.name, ["tr_x"], conn=shop.conn)] == [wid]


def test_r11_an_exception_stays_one(shop: Kit) -> None:
    wid = shop.start(a="1")
    shop.run("tr_x", wid, a="7")
    assert shop.status(wid) == "E"
    api.operations.suspend(wid, "Wait.", conn=shop.conn)
    assert broken(shop) == []
    api.operations.resume(wid, "Go on.", conn=shop.conn)
    assert (shop.status(wid), shop.instance(wid).reason, shop.jobs(wid)) == ("E", "STUCK", ["_EXCPT"])
    assert broken(shop) == []


def test_r11_a_definition_published_meanwhile_counts_when_it_is_resumed(shop: Kit) -> None:
    wid = shop.start(a="1")
    api.operations.suspend(wid, "Wait.", conn=shop.conn)
    shop.trig("tr_new", "a = '1'")
    definition = dict(api.flows.definition(shop.name, conn=shop.conn))
    shop.publish(definition)
    assert shop.jobs(wid) == ["tr_x"]
    api.operations.resume(wid, "Go on.", conn=shop.conn)
    assert shop.jobs(wid) == ["tr_x", "tr_new"]
    assert broken(shop) == []


def test_r11_a_parked_job_stays_one_when_a_definition_is_published_meanwhile(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'", max_attempts=1)
    kit.final("a = '2'")
    wid = kit.start(a="1")
    kit.fail("tr_x", why="no")
    assert (kit.status(wid), kit.jobs(wid)) == ("E", ["_EXCPT", "tr_x"])
    api.operations.suspend(wid, "Wait.", conn=kit.conn)
    definition = dict(api.flows.definition(kit.name, conn=kit.conn))
    definition["triggers"][0]["predicate"] = "a = '1' or a = '8'"
    kit.publish(definition)
    api.operations.resume(wid, "Go on.", conn=kit.conn)
    assert (kit.status(wid), kit.jobs(wid)) == ("E", ["_EXCPT", "tr_x"])
    assert broken(kit) == []


def test_r11_it_can_be_cancelled(shop: Kit) -> None:
    wid = shop.start(a="1")
    api.operations.suspend(wid, "Wait.", conn=shop.conn)
    api.instances.cancel(wid, "Never mind.", conn=shop.conn)
    assert (shop.status(wid), shop.pending(wid)) == ("C", [])


def test_r11_what_cannot_be_suspended_or_resumed(shop: Kit) -> None:
    wid = shop.start(a="1")
    with refused("WD105"):
        api.operations.resume(wid, "x", conn=shop.conn)
    with refused("WD009"):
        api.operations.suspend(wid, " ", conn=shop.conn)
    api.operations.suspend(wid, "x", conn=shop.conn)
    with refused("WD105"):
        api.operations.suspend(wid, "x", conn=shop.conn)
    api.instances.cancel(wid, "x", conn=shop.conn)
    for call in (api.operations.suspend, api.operations.resume):
        with refused("WD105"):
            call(wid, "x", conn=shop.conn)
        with refused("WD104"):
            call(wid + 1000, "x", conn=shop.conn)


def test_r11_its_jobs_say_that_they_wait_for_it(shop: Kit) -> None:
    wid = shop.start(a="1")
    api.operations.suspend(wid, "Wait.", conn=shop.conn)
    (job,) = api.reasons.explain_jobs(wid, conn=shop.conn)
    assert job.waits_for == "suspended" and job.facts["since"] is not None
    assert api.reasons.explain_instance(wid, conn=shop.conn).status == "S"
