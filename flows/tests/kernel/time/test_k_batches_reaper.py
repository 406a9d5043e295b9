"""Which instances a re-match in batches looks at, and how the reaper goes on after a failure (K-17)."""

from __future__ import annotations

import pytest
from psycopg.types.json import Jsonb

from flows import api
from flows.capabilities.trials.tests.kernel.test_k_impact import FINAL, PAY, SEND, with_triggers
from flows.tests.kernel.work.batches import MORE, begin, by_reaper, finish, jobs, violations
from flows.tests.kernel.work.batches import reaper as reaper  # fixtures
from flows.tests.kernel.work.batches import shop as shop
from flows.tests.kit import Connection, Kit

pytestmark = pytest.mark.kernel

ANY = {"transition": "tr_any", "predicate": "items >= 0"}


def test_what_is_started_after_the_publication_is_not_looked_at(shop: Kit, reaper: Connection) -> None:
    """Its own start was evaluated by the new definition; a busy flow comes to an end."""
    wids = [shop.start(items=9) for _ in range(4)]
    version = begin(shop, MORE)["version"]
    later = [shop.start(items=9) for _ in range(5)]
    assert by_reaper(reaper) == 2
    report = api.instances.continue_rematch(shop.name, version, conn=shop.conn)
    assert report and (report.checked, report.left, report.fired) == (4, 0, {"tr_audit": 4})
    assert jobs(shop, "tr_audit") == [*wids, *later]


def test_a_locked_table_delays_the_reaper_and_is_shown(shop: Kit, reaper: Connection) -> None:
    wids = [shop.start(items=9) for _ in range(2)]
    begin(shop, MORE)
    trouble = "select kind, wid, sqlstate from wedsql.trouble where flow_id = %s"
    other = shop.connect()
    with other.transaction():
        other.execute(f"lock table {shop.name}.wed_flow in exclusive mode")
        assert api.instances.rematch_due(conn=reaper) is None
    assert [tuple(row) for row in shop.rows(trouble, [shop.id])] == [("rematch", 0, "55P03")]

    shop.rows("update wedsql.trouble set retry_at = wedsql.now() + interval '1 minute'")
    assert by_reaper(reaper) == 0, "it waits for the next try"
    shop.rows("update wedsql.trouble set retry_at = wedsql.now()")
    assert by_reaper(reaper) == 1
    assert jobs(shop, "tr_audit") == wids and shop.rows(trouble, [shop.id]) == []


def test_exceptions_that_ended_have_no_job_of_their_own_left(shop: Kit) -> None:
    """An exception gets work by the new definition; its _EXCPT job goes with the end of the re-match."""
    wid = shop.start(items=1)
    shop.run("tr_pay", wid, state=None)
    assert shop.status(wid) == "E"
    begin(shop, with_triggers(PAY, SEND, FINAL, ANY))
    assert shop.status(wid) == "E" and violations(shop) == []
    finish(shop)
    assert (shop.status(wid), shop.jobs(wid)) == ("R", ["tr_any"])
    assert shop.one("select count(*) from wedsql.job_pool where wid = %s and tgid = 0", [wid]) == 0


def test_ended_instances_are_looked_at_only_where_they_are_to_be_reopened(shop: Kit) -> None:
    ended = [shop.start(items=9, state="sent") for _ in range(2)]
    running = shop.start(items=9)
    assert [shop.status(wid) for wid in ended] == ["F", "F"]
    for reopen, looked_at, statuses in ((False, 1, ["F", "F"]), (True, 3, ["R", "R"])):
        final = FINAL | {"predicate": f"state = 'sent' and items = {100 + reopen}"}
        definition = with_triggers(PAY, SEND, ANY, final)
        call = "select wedsql.publish(%s, %s, p_reopen_final => %s) -> 'left'"
        assert shop.one(call, [shop.name, Jsonb(definition), reopen]) == looked_at
        finish(shop)
        assert [shop.status(wid) for wid in ended] == statuses
    assert shop.jobs(running) == ["tr_pay", "tr_any"] and violations(shop) == []


@pytest.mark.parametrize("finished", [False, True])
def test_what_is_suspended_meanwhile_is_re_matched_when_it_is_resumed(
    shop: Kit, reaper: Connection, finished: bool
) -> None:
    """The suspension is of the new version already, by which its conditions were not evaluated."""
    before, after = (shop.start(items=9) for _ in range(2))
    api.operations.suspend(before, reason="no stock", conn=shop.conn)
    begin(shop, MORE)
    api.operations.suspend(after, reason="no stock", conn=shop.conn)
    assert violations(shop) == []
    if finished:
        by_reaper(reaper)
    for wid in (before, after):
        api.operations.resume(wid, reason="stock is here", conn=shop.conn)
        assert violations(shop) == []
    assert jobs(shop, "tr_audit") == [before, after]
    by_reaper(reaper)
    assert jobs(shop, "tr_audit") == [before, after] and violations(shop) == []


def test_operations_on_jobs_leave_an_instance_to_its_batch(shop: Kit, reaper: Connection) -> None:
    """They write history by the new version, and evaluate no condition."""
    wid = shop.start(items=9)
    (job,) = shop.pending(wid)
    begin(shop, MORE)
    api.operations.prioritize_job(wid, job.id, 5, reason="urgent", conn=shop.conn)
    assert violations(shop) == [] and jobs(shop, "tr_audit") == []
    by_reaper(reaper)
    assert jobs(shop, "tr_audit") == [wid] and violations(shop) == []
