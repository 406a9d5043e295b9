"""The re-match of a flow with many instances follows its publication in batches (K-17)."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import pytest

from flows import api
from flows.capabilities.trials.tests.kernel.test_k_choices import drawn_choices, foreseen, happened, published
from flows.capabilities.trials.tests.kernel.test_k_impact import (
    FINAL,
    PAY,
    SEND,
    SHOP,
    first_definition,
    run_some,
    second_definition,
    situation,
    with_triggers,
)
from flows.capabilities.trials.tests.kernel.test_k_trial import VALUES
from flows.errors import WedError
from flows.tests.kernel.work.batches import (
    AUDIT,
    MORE,
    begin,
    by_reaper,
    fired,
    in_batches,
    jobs,
    step,
    violations,
)
from flows.tests.kernel.work.batches import reaper as reaper  # fixtures
from flows.tests.kernel.work.batches import shop as shop
from flows.tests.kit import Connection, Kit
from flows.tests.spread import seeds
from flows.types import GroupChoices

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("seed", seeds(20, short=2))
def test_choices_in_batches_are_those_of_one_transaction(
    kit: Kit, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Impact foretells what one transaction does to each instance; batches do the same."""
    draw = random.Random(seed)  # noqa: S311 - the same run each time
    api.flows.publish(kit.name, first_definition(draw, plain=bool(seed % 2)), conn=kit.conn)
    run_some(kit, draw)
    in_batches(kit.conn)

    def published_to_the_end(*arguments: Any) -> Any:
        done = published(*arguments)
        assert ("left" in done.report) == (not added), "it is re-matched in batches"  # type: ignore[operator]
        assert violations(kit) == []
        while (found := step(kit)) and found["left"]:
            assert violations(kit) == []
        return done

    monkeypatch.setattr(
        "flows.capabilities.trials.tests.kernel.test_k_choices.published", published_to_the_end
    )
    for _round in range(2):
        before = api.flows.definition(kit.name, conn=kit.conn)
        second = second_definition(kit, draw)
        added = before["attributes"] != second["attributes"]
        groups, reopen = drawn_choices(draw, second), draw.random() < 0.3
        expected = foreseen(kit, second, groups, reopen)
        assert expected == happened(kit, second, groups, reopen)
        assert violations(kit) == []


@pytest.mark.parametrize("seed", seeds(12, short=2))
def test_steps_between_batches_break_no_invariant_and_fire_nothing_twice(kit: Kit, seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311
    api.flows.publish(kit.name, first_definition(draw, plain=bool(seed % 2)), conn=kit.conn)
    run_some(kit, draw)
    in_batches(kit.conn)
    second = second_definition(kit, draw)
    second["attributes"] = api.flows.definition(kit.name, conn=kit.conn)["attributes"]
    assert published(kit, second, drawn_choices(draw, second)).report["left"] > 0  # type: ignore[index]
    while (found := step(kit)) and found["left"]:
        for row in kit.rows(
            "select wid, trname from wedsql.job_pool where flow_id = %s and tgid > 0 and state = 'P'"
            " order by random() limit 2",
            [kit.id],
        ):
            with suppress(WedError, AssertionError):  # rejected, or not ready
                kit.run(row.trname, row.wid, **{draw.choice("ab"): draw.choice(VALUES)})
            kit.conn.rollback()
        assert violations(kit) == []
    assert kit.one("select finished_at is not null from wedsql.rematch_run where flow_id = %s", [kit.id])
    assert violations(kit) == []


def test_a_program_gets_the_whole_report(shop: Kit) -> None:
    wids = [shop.start(items=n) for n in range(10)]
    report = api.flows.publish(shop.name, MORE, conn=shop.conn)
    assert (report.left, report.checked, report.fired) == (0, 10, {"tr_audit": 4})
    assert jobs(shop, "tr_audit") == wids[6:]


def test_in_a_transaction_the_report_says_what_is_left(shop: Kit, reaper: Connection) -> None:
    wids = [shop.start(items=9) for _ in range(7)]
    with shop.conn.transaction():
        report = api.flows.publish(shop.name, MORE, conn=shop.conn)
        assert (report.left, report.checked, report.fired) == (7, 0, {})
    assert by_reaper(reaper) == 3
    assert jobs(shop, "tr_audit") == wids


def test_a_small_flow_is_re_matched_in_the_transaction(shop: Kit) -> None:
    shop.start(items=9)
    shop.conn.execute("select set_config('wedsql.rematch_at_once', '1', false)")
    report = begin(shop, MORE)
    assert (report["fired"], report.get("left")) == ({"tr_audit": 1}, None)
    assert step(shop) is None


@pytest.mark.parametrize(
    "definition",
    [
        MORE | {"attributes": [*SHOP["attributes"], {"name": "note", "default": "x"}]},
        with_triggers(PAY, SEND, FINAL, AUDIT | {"on_error": "abort"}),
    ],
)
def test_what_writes_or_may_reject_every_instance_is_one_transaction(shop: Kit, definition: Any) -> None:
    shop.start(items=9)
    assert begin(shop, definition)["fired"] == {"tr_audit": 1}


def test_an_instance_keeps_its_jobs_and_steps_by_the_new_definition(shop: Kit, reaper: Connection) -> None:
    """What it fired by its own step, the re-match does not fire again."""
    wids = [shop.start(items=9) for _ in range(6)]
    begin(shop, MORE)
    assert jobs(shop, "tr_audit") == [] and violations(shop) == []
    shop.run("tr_pay", wids[4], state="paid")
    assert jobs(shop, "tr_audit") == [wids[4]]
    with shop.step():
        shop.complete(shop.take("tr_audit", wids[4]), {"items": 7})
    by_reaper(reaper)
    assert jobs(shop, "tr_audit") == wids
    assert fired(shop, "tr_audit") == sorted([*wids, wids[4]]), "at its two steps"
    assert violations(shop) == []


def test_a_job_that_the_new_definition_fired_is_not_withdrawn(shop: Kit, reaper: Connection) -> None:
    """As after one transaction: its choice is about the jobs that there were at the publication."""
    first, last = [shop.start(items=9) for _ in range(4)][::3]
    changed = with_triggers(PAY, SEND | {"predicate": "state = 'paid' and items > 5"}, FINAL, AUDIT)
    published(shop, changed, GroupChoices(withdraw=(1,)))
    shop.run("tr_pay", last, state="paid")
    with shop.step():
        shop.complete(shop.take("tr_audit", last), {"items": 1})
    by_reaper(reaper)
    assert jobs(shop, "tr_send") == [last]
    assert situation(shop)[first][0] == "R"


def test_the_record_of_the_publication_says_what_is_left(shop: Kit) -> None:
    wids = [shop.start(items=n) for n in range(8)]
    done = published(shop, MORE, GroupChoices(later=(3,)))
    seen = []
    while True:
        report: Any = api.publications.read(done.id, conn=shop.conn).report
        seen.append((report["left"], report["checked"]))
        if not report["left"]:
            break
        open_ones = shop.rows("select remaining, living from wedsql.rematches() where flow = %s", [shop.name])
        assert [tuple(row) for row in open_ones] == [(report["left"], 8)]
        step(shop)
    assert seen == [(8, 0), (5, 3), (2, 6), (0, 8)]
    assert report["by_rule"] == {} and report["moved"]["count"] >= 0 and report["version"] == done.version
    assert jobs(shop, "tr_audit") == []
    assert shop.rows("select 1 from wedsql.rematches() where flow = %s", [shop.name]) == []
    assert shop.one("select count(*) from wedsql.rematch_held where flow_id = %s", [shop.id]) == 0
    shop.run("tr_pay", wids[7], state="paid")
    assert jobs(shop, "tr_audit") == [wids[7]], "held back until its next change only"


def test_another_publication_starts_over_by_its_own_definition(shop: Kit, reaper: Connection) -> None:
    wids = [shop.start(items=9) for _ in range(6)]
    older = published(shop, MORE, GroupChoices(keep_exceptions=True))
    step(shop)
    newer = with_triggers(PAY, SEND, FINAL, {"transition": "tr_check", "predicate": "items > 5"})
    begin(shop, newer)
    assert jobs(shop, "tr_audit") == [] and violations(shop) == []
    by_reaper(reaper)
    assert (fired(shop, "tr_audit"), jobs(shop, "tr_check")) == (wids[:3], wids)
    report: Any = api.publications.read(older.id, conn=shop.conn).report
    assert (report["superseded_by"], report["checked"], report["left"]) == (older.version + 1, 3, 3)  # type: ignore[operator]
    assert api.instances.continue_rematch(shop.name, older.version or 0, conn=shop.conn) is None
    assert violations(shop) == []


def test_a_change_by_plain_sql_re_matches_what_was_left(shop: Kit) -> None:
    wids = [shop.start(items=9) for _ in range(5)]
    begin(shop, MORE)
    shop.trig("tr_other", "items = 9")
    assert (jobs(shop, "tr_audit"), jobs(shop, "tr_other")) == (wids, wids)
    assert step(shop) is None and violations(shop) == []


def test_a_running_instance_has_work_when_its_rule_is_removed(shop: Kit) -> None:
    """It is re-matched with the publication itself, as the publication chooses."""
    wids = [shop.start(state="paid", items=n) for n in (1, 9, 9)]
    other = shop.start(items=9)
    removed = with_triggers(
        PAY, FINAL, {"transition": "tr_ship", "predicate": "state = 'paid' and items > 5"}
    )
    published(shop, removed, GroupChoices())
    assert {wid: status for wid, (status, _jobs) in situation(shop).items()} == {
        wids[0]: "E", wids[1]: "R", wids[2]: "R", other: "R",
    }  # fmt: skip
    assert jobs(shop, "tr_ship") == wids[1:] and violations(shop) == []
