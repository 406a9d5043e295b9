"""The re-match of a flow with many instances follows its publication in batches (K-17)."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from flows import api
from flows.errors import LockBusy, WedError
from flows.tests.kernel.test_k_choices import drawn_choices, foreseen, happened, published
from flows.tests.kernel.test_k_impact import (
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
from flows.tests.kernel.test_k_trial import VALUES
from flows.tests.kit import Connection, Kit
from flows.tests.under_load import under_load
from flows.types import GroupChoices

pytestmark = pytest.mark.kernel

AUDIT = {"transition": "tr_audit", "predicate": "items > 5"}
MORE = with_triggers(PAY, SEND, FINAL, AUDIT)


def in_batches(conn: Connection, size: int = 3) -> None:
    """Have this session publish every flow in batches of so many instances."""
    conn.execute("select set_config('wedsql.rematch_at_once', '0', false)")
    conn.execute("select set_config('wedsql.rematch_batch', %s, false)", [str(size)])


@pytest.fixture
def shop(kit: Kit) -> Kit:
    """A flow of two transitions whose publications are re-matched in batches of three."""
    api.publish(kit.name, SHOP, conn=kit.conn)
    in_batches(kit.conn)
    return kit


@pytest.fixture
def reaper(kit: Kit) -> Iterator[Connection]:
    """A session of the reaper, for batches of three."""
    conn = kit.connect("wed_reaper")
    in_batches(conn)
    yield conn
    conn.close()


def begin(kit: Kit, definition: Any) -> dict[str, Any]:
    """Publish as a program whose connection ends with the publication's commit; return the report."""
    report: dict[str, Any] = kit.one("select wedsql.publish(%s, %s)", [kit.name, Jsonb(definition)])
    return report


def step(kit: Kit) -> dict[str, Any] | None:
    """Continue the re-match of the version that runs by one batch."""
    found: dict[str, Any] | None = kit.one(
        "select wedsql.continue_rematch(name, version) from wedsql.flow where id = %s", [kit.id]
    )
    return found


def finish(kit: Kit) -> None:
    version = kit.one("select version from wedsql.flow where id = %s", [kit.id])
    report = api.finish_rematch(kit.name, version, conn=kit.conn)
    assert report and report.left == 0


def by_reaper(conn: Connection) -> int:
    """Continue what is on its way as the reaper does; return the number of batches."""
    batches = 0
    while api.rematch_due(conn=conn):
        batches += 1
    return batches


def violations(kit: Kit) -> list[Any]:
    return kit.rows("select name, example from wedsql.invariants() where not ok")


def jobs(kit: Kit, transition: str) -> list[int]:
    found = kit.rows(
        "select wid from wedsql.job_pool where flow_id = %s and trname = %s order by 1", [kit.id, transition]
    )
    return [row.wid for row in found]


def fired(kit: Kit, transition: str) -> list[int]:
    """Return the instances in which a transition fired, once for each firing."""
    found = kit.rows(
        "select wid from wedsql.wed_trace where flow_id = %s and %s = any (trf) order by 1",
        [kit.id, transition],
    )
    return [row.wid for row in found]


@pytest.mark.parametrize("seed", range(20))
def test_choices_in_batches_are_those_of_one_transaction(
    kit: Kit, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Impact foretells what one transaction does to each instance; batches do the same."""
    draw = random.Random(seed)  # noqa: S311 - the same run each time
    api.publish(kit.name, first_definition(draw, plain=bool(seed % 2)), conn=kit.conn)
    run_some(kit, draw)
    in_batches(kit.conn)

    def published_to_the_end(*arguments: Any) -> Any:
        done = published(*arguments)
        assert ("left" in done.report) == (not added), "it is re-matched in batches"  # type: ignore[operator]
        assert violations(kit) == []
        while (found := step(kit)) and found["left"]:
            assert violations(kit) == []
        return done

    monkeypatch.setattr("flows.tests.kernel.test_k_choices.published", published_to_the_end)
    for _round in range(2):
        before = api.definition(kit.name, conn=kit.conn)
        second = second_definition(kit, draw)
        added = before["attributes"] != second["attributes"]
        groups, reopen = drawn_choices(draw, second), draw.random() < 0.3
        expected = foreseen(kit, second, groups, reopen)
        assert expected == happened(kit, second, groups, reopen)
        assert violations(kit) == []


@pytest.mark.parametrize("seed", range(12))
def test_steps_between_batches_break_no_invariant_and_fire_nothing_twice(kit: Kit, seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311
    api.publish(kit.name, first_definition(draw, plain=bool(seed % 2)), conn=kit.conn)
    run_some(kit, draw)
    in_batches(kit.conn)
    second = second_definition(kit, draw)
    second["attributes"] = api.definition(kit.name, conn=kit.conn)["attributes"]
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
    report = api.publish(shop.name, MORE, conn=shop.conn)
    assert (report.left, report.checked, report.fired) == (0, 10, {"tr_audit": 4})
    assert jobs(shop, "tr_audit") == wids[6:]


def test_in_a_transaction_the_report_says_what_is_left(shop: Kit, reaper: Connection) -> None:
    wids = [shop.start(items=9) for _ in range(7)]
    with shop.conn.transaction():
        report = api.publish(shop.name, MORE, conn=shop.conn)
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


@pytest.mark.parametrize("batches", [0, 1])
def test_a_publisher_that_is_killed_is_followed_by_the_reaper(
    shop: Kit, reaper: Connection, batches: int
) -> None:
    """Its last batch is undone and made again; nothing of those before it is."""
    wids = [shop.start(items=9) for _ in range(8)]
    publisher = shop.connect()
    in_batches(publisher)
    version = publisher.execute("select wedsql.publish(%s, %s)", [shop.name, Jsonb(MORE)]).fetchone()[0][  # type: ignore[index]
        "version"
    ]
    for _ in range(batches):
        api.continue_rematch(shop.name, version, conn=publisher)
    publisher.execute("begin")
    api.continue_rematch(shop.name, version, conn=publisher)
    assert api.rematch_due(conn=reaper) is None, "another session has the batch"
    assert shop.rows("select 1 from wedsql.trouble where flow_id = %s", [shop.id]) == [], "no session waited"
    shop.rows("select pg_terminate_backend(%s, 5000)", [publisher.info.backend_pid])
    with pytest.raises(psycopg.OperationalError):
        publisher.execute("commit")
    assert jobs(shop, "tr_audit") == wids[: 3 * batches]

    assert by_reaper(reaper) == 3 - batches

    assert fired(shop, "tr_audit") == wids
    report = api.continue_rematch(shop.name, version, conn=shop.conn)
    assert report and (report.left, report.checked, report.fired) == (0, 8, {"tr_audit": 8})
    assert violations(shop) == []


def test_the_record_of_the_publication_says_what_is_left(shop: Kit) -> None:
    wids = [shop.start(items=n) for n in range(8)]
    done = published(shop, MORE, GroupChoices(later=(3,)))
    seen = []
    while True:
        report: Any = api.read_publication(done.id, conn=shop.conn).report
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
    report: Any = api.read_publication(older.id, conn=shop.conn).report
    assert (report["superseded_by"], report["checked"], report["left"]) == (older.version + 1, 3, 3)  # type: ignore[operator]
    assert api.continue_rematch(shop.name, older.version or 0, conn=shop.conn) is None
    assert violations(shop) == []


def test_a_change_by_plain_sql_re_matches_what_was_left(shop: Kit) -> None:
    wids = [shop.start(items=9) for _ in range(5)]
    begin(shop, MORE)
    shop.trig("tr_other", "items = 9")
    assert (jobs(shop, "tr_audit"), jobs(shop, "tr_other")) == (wids, wids)
    assert step(shop) is None and violations(shop) == []


def published_at_last(conn: Connection, definition: dict[str, Any]) -> bool:
    """Publish; return False if the other session had the flow for longer than a publication waits."""
    try:
        api.publish(definition["flow"], definition, conn=conn)
    except LockBusy:
        return False
    return True


def test_two_publications_at_once_end_with_one(shop: Kit) -> None:
    """Each waits for the batches of the other, longer if the machine is slow, and none deadlocks."""
    wids = [shop.start(items=9) for _ in range(30)]
    published: list[str] = []

    def publish(name: str) -> None:
        conn = shop.connect()
        in_batches(conn)
        for _ in range(3):
            rule = {"transition": f"tr_{name}", "predicate": "items > 5"}
            definition = with_triggers(PAY, SEND, FINAL, rule) | {"flow": shop.name}
            while not published_at_last(conn, definition):
                pass
            published.append(name)

    threads = [threading.Thread(target=publish, args=[name]) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(published) == ["one"] * 3 + ["two"] * 3
    finish(shop)
    assert wids in (jobs(shop, "tr_one"), jobs(shop, "tr_two")) and violations(shop) == []


def test_instances_that_others_have_locked_are_left_to_the_end(shop: Kit, reaper: Connection) -> None:
    wids = [shop.start(items=9) for _ in range(7)]
    begin(shop, MORE)
    other = shop.connect()
    with other.transaction():
        other.execute(f"select 1 from {shop.name}.wed_flow where wid = %s for update", [wids[1]])
        assert by_reaper(reaper) == 3
        assert jobs(shop, "tr_audit") == [wid for wid in wids if wid != wids[1]]
        assert shop.one("select remaining from wedsql.rematches() where flow = %s", [shop.name]) == 1
        assert violations(shop) == []
    assert by_reaper(reaper) == 1
    assert jobs(shop, "tr_audit") == wids and violations(shop) == []


@pytest.mark.parametrize("option", [{}, {"fire_once": True}])
def test_what_ends_meanwhile_stays_as_it_is(shop: Kit, reaper: Connection, option: dict[str, Any]) -> None:
    wids = [shop.start(items=9) for _ in range(3)]
    begin(shop, with_triggers(PAY, SEND, FINAL, AUDIT | option))
    other = shop.connect()
    with other.transaction():
        api.cancel(wids[1], reason="no more", conn=other)
        by_reaper(reaper)
        assert jobs(shop, "tr_audit") == [wids[0], wids[2]]
    by_reaper(reaper)
    assert jobs(shop, "tr_audit") == [wids[0], wids[2]]
    assert situation(shop)[wids[1]] == ("C", []) and violations(shop) == []
    finish(shop)


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


def test_an_instance_that_fails_stops_no_other(shop: Kit, reaper: Connection) -> None:
    wids = [shop.start(items=9) for _ in range(5)]
    version = begin(shop, MORE)["version"]
    shop.rows(
        "create function {f}.fail() returns trigger language plpgsql as "
        f"$$begin if new.wid = {wids[1]} then raise 'no room'; end if; return new; end$$"
    )
    shop.rows("create trigger fail before insert on wedsql.job_pool for each row execute function {f}.fail()")
    try:
        by_reaper(reaper)
    finally:
        shop.rows("drop trigger fail on wedsql.job_pool")
    report = api.continue_rematch(shop.name, version, conn=shop.conn)
    assert report and (report.left, report.failed, report.failed_sample) == (0, 1, [wids[1]])
    assert jobs(shop, "tr_audit") == [wid for wid in wids if wid != wids[1]]
    trouble = shop.rows("select kind, wid, message from wedsql.trouble where flow_id = %s", [shop.id])
    assert [tuple(row) for row in trouble] == [("rematch", wids[1], "no room")]


def test_workers_go_on_meanwhile(kit: Kit) -> None:
    api.publish(kit.name, SHOP, conn=kit.conn)
    in_batches(kit.conn, 2)
    wake = {"transition": "tr_wake", "predicate": "state is null"}
    with under_load(kit):
        for n in range(6):
            changed = with_triggers(PAY, SEND, wake, FINAL, AUDIT | {"predicate": f"items > {n}"})
            begin(kit, changed | {"final_when_pending": "cancel"})
            finish(kit)
    assert violations(kit) == []
