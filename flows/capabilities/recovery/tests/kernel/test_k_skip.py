"""Skipping a job (R5): its trigger does not fire again until its condition was false once."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.capabilities.recovery.tests.kernel.test_k_forward import denied, do
from flows.capabilities.recovery.tests.kernel.test_k_repair import job_of, park
from flows.tests.kit import Kit, broken, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attrs("a", "b", "c")
    kit.trig("tr_x", "a = '1'", backoff="1 hour", max_attempts=1)
    kit.trig("tr_y", "b = '1'")
    kit.final("c = 'end'")
    return kit


def skip(kit: Kit, wid: int, transition: str = "tr_x", **changes: Any) -> Any:
    more: dict[str, Any] = {"changes": changes} if changes else {}
    return do(kit, wid, "skip", job=job_of(kit, wid, transition), **more)


def plain(kit: Kit) -> bool:
    return bool(kit.one("select plain from wedsql.flow where id = %s", [kit.id]))


def test_r5_skip_no_immediate_re_fire(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    shown = api.repairs.preview(wid, "skip", {"job": job_of(shop, wid)}, conn=shop.conn)
    assert [job.transition for job in shown.withdrawn] == ["tr_x"] and shown.became_false == []
    assert skip(shop, wid).status == "R"
    row = shop.trace(wid)[-1]
    assert (row.trw, row.reason, row.actor, row.trf) == ("_RECOVER:skip", "tr_x: Why.", "ana", [])
    shop.run("tr_y", wid, c="later")
    assert (shop.jobs(wid), shop.trace(wid)[-1].trf) == (["tr_y"], ["tr_y"])
    assert broken(shop) == []


def test_r5_skip_fires_again_when_its_condition_was_false_and_is_true(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    skip(shop, wid)
    shop.run("tr_y", wid, a="0")
    assert shop.jobs(wid) == ["tr_y"]
    shop.run("tr_y", wid, a="1")
    assert shop.jobs(wid) == ["tr_x", "tr_y"]
    assert broken(shop) == []


def test_r5_skip_by_changes_that_make_the_condition_false(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    skip(shop, wid, a="0")
    shop.run("tr_y", wid, a="1")
    assert shop.jobs(wid) == ["tr_x", "tr_y"]


def test_r5_skip_the_last_job_is_an_exception_and_the_patch_does_not_fire_it(shop: Kit) -> None:
    wid = shop.start(a="1")
    assert skip(shop, wid).status == "E"
    assert (shop.jobs(wid), shop.instance(wid).reason) == (["_EXCPT"], "STUCK")
    do(shop, wid, "rematch")
    assert do(shop, wid, "patch", changes={"b": "1"}).status == "R"
    assert shop.jobs(wid) == ["tr_y"]


def test_r5_skip_a_parked_job(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    park(shop, wid)
    assert skip(shop, wid).status == "R"
    assert shop.jobs(wid) == ["tr_y"]
    assert shop.run("tr_y", wid, c="end").status == "F"


def test_r5_skip_and_what_is_published(shop: Kit) -> None:
    """The suppression outlives a publication; with a condition that is false now it ends."""
    wid = shop.start(a="1", b="1")
    skip(shop, wid)
    shop.trig("tr_z", "a = '1'")
    assert shop.jobs(wid) == ["tr_y", "tr_z"]
    shop.rows("update {f}.wed_trig set cpred = 'a = ''9''' where trname = 'tr_x'")
    shop.rows("update {f}.wed_trig set cpred = 'a = ''1''' where trname = 'tr_x'")
    assert shop.jobs(wid) == ["tr_x", "tr_y", "tr_z"]
    assert broken(shop) == []


def test_r5_skip_is_foreseen_by_the_impact_of_a_definition(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    skip(shop, wid)
    given = api.flows.definition(shop.name, conn=shop.conn)
    given["triggers"].append({"transition": "tr_z", "predicate": "a = '1'"})
    found = api.trials.impact(shop.name, given, conn=shop.conn)
    assert found.fired == {"tr_z": 1}
    shop.publish(given)
    assert shop.jobs(wid) == ["tr_y", "tr_z"]


def test_r5_skip_survives_suspension(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    number = job_of(shop, wid)
    api.operations.suspend(wid, "x", conn=shop.conn)
    denied(shop, "WD105", wid, "skip", job=number)
    api.operations.resume(wid, "x", conn=shop.conn)
    skip(shop, wid)
    api.operations.suspend(wid, "x", conn=shop.conn)
    api.operations.resume(wid, "x", conn=shop.conn)
    assert api.instances.rematch(shop.name, [wid], conn=shop.conn)["fired"] == {}
    assert shop.jobs(wid) == ["tr_y"]


def test_r5_skip_of_a_trigger_with_a_due_time_sets_no_timer(shop: Kit) -> None:
    shop.trig("tr_due", "b = '1'", due_after="1 hour")
    wid = shop.start(b="1")
    shop.clock("2 hours")
    shop.reap("2 hours")
    assert shop.jobs(wid) == ["tr_y", "tr_due"]
    skip(shop, wid, "tr_due")
    shop.run("tr_y", wid, c="x")
    assert shop.jobs(wid) == ["tr_y"]
    assert shop.rows("select * from wedsql.timer where wid = %s", [wid]) == []


def test_r5_skip_is_refused_for_a_job_that_runs(shop: Kit) -> None:
    wid = shop.start(a="1")
    held = shop.lease("tr_x")
    denied(shop, "WD203", wid, "skip", job=held.id)
    denied(shop, "WD205", wid, "skip", job=held.id + 1_000_000)
    do(shop, wid, "release", job=held.id)
    shop.rows("update {f}.wed_attr set repairable = false where aname = 'b'")
    denied(shop, "WD210", wid, "skip", job=held.id, changes={"b": "1"})
    skip(shop, wid)
    denied(shop, "WD212", wid, "skip", job=job_of(shop, wid, "_EXCPT"))


def test_r5_skip_other_instances_and_flows_are_as_before(shop: Kit) -> None:
    """A flow pays for skipped jobs only while it has some."""
    wid, other = shop.start(a="1", b="1"), shop.start(a="1", b="1")
    assert plain(shop)
    skip(shop, wid)
    assert not plain(shop)
    shop.run("tr_x", other, a="1")
    assert shop.trace(other)[-1].trf == ["tr_x"]
    shop.reap()
    assert not plain(shop)
    shop.run("tr_y", wid, a="0")
    shop.reap()
    assert plain(shop)
    skip(shop, other)
    api.instances.cancel(other, "x", conn=shop.conn)
    shop.reap()
    assert plain(shop) and shop.rows("select * from wedsql.skipped where wid = %s", [other]) == []


def test_r5_skip_race_with_a_publication(shop: Kit) -> None:
    """Whoever comes second gives way, and there is no deadlock."""
    wid = shop.start(a="1", b="1")
    first, insert = shop.connect(), "insert into {f}.wed_trig (trname, cpred) values ('tr_z', %s)"
    shop.rows("set lock_timeout = '10s'")  # it does not wait, and would wait for ever
    with first.transaction():
        shop.rows(insert, ["a = '1'"], first)
        with refused("WD010"):
            api.repairs.repair(wid, "skip", {"job": job_of(shop, wid)}, "x", conn=shop.conn)
    assert shop.jobs(wid) == ["tr_x", "tr_y", "tr_z"]
    skip(shop, wid)
    assert shop.jobs(wid) == ["tr_y", "tr_z"]


def test_r5_skip_is_undone_by_a_roll_back_behind_it(shop: Kit) -> None:
    wid = shop.start(a="1", b="1")
    skip(shop, wid)
    do(shop, wid, "rollback", seq=2)
    assert shop.jobs(wid) == ["tr_y"]
    do(shop, wid, "rollback", seq=1)
    assert shop.jobs(wid) == ["tr_x", "tr_y"]
