"""A failure of a handler, of any kind, affects its own job only."""

from __future__ import annotations

import time
from decimal import Decimal
from typing import Any

import pytest

from workers.context import WrongMode
from workers.jobs.plans import known
from workers.tests.conftest import Shop

BATCH = 10


def good(state: Any, ctx: Any) -> Any:
    return {"a": "good"}


def picky(bad: dict[int, Any]) -> Any:
    """Return a handler that acts as `bad` defines for some instances and succeeds for the others."""

    def handler(state: Any, ctx: Any) -> Any:
        act = bad.get(ctx.wid)
        return {"a": "good"} if act is None else act(ctx)

    return handler


def test_every_ready_job_is_done_in_either_mode(shop: Shop) -> None:
    shop.on("tr_one", good)
    first, second = shop.start(7), shop.start(7)
    assert (
        shop.work(
            1,
            ids=[
                j for (j,) in shop.db.execute("select id from wedsql.job_pool where wid = any(%s)", [first])
            ],
        )
        == 7
    )
    assert shop.work(BATCH) == 7
    assert {shop.status(wid) for wid in first + second} == {"F"}
    assert shop.state(first[0]) == {"a": "good", "b": None, "n": None}


def test_step_mode_commits_each_job_by_itself_and_batch_mode_together(shop: Shop) -> None:
    shop.on("tr_one", good)
    for size, commits in ((1, 5), (5, 1)):
        wids = shop.start(5)
        shop.work(size)
        seen = shop.one(
            "select count(distinct xmin::text) from wedsql.wed_trace where trw = 'tr_one' and wid = any(%s)",
            wids,
        )
        assert seen == commits


def test_the_context_has_the_data_of_the_job(shop: Shop) -> None:
    seen: dict[str, Any] = {}

    def look(state: Any, ctx: Any) -> Any:
        seen.update(
            state=dict(state),
            wid=ctx.wid,
            flow=ctx.flow,
            attempt=ctx.attempt,
            payload=ctx.payload,
            transition=ctx.transition,
            matched=ctx.matched,
            actor=ctx.actor,
            job=ctx.job,
            left=ctx.remaining(),
            deadline=ctx.deadline,
        )
        return {"a": "seen"}

    shop.on("tr_one", look)
    (wid,) = shop.start(1, n=3, b='O\'Hara "x" \\')
    shop.work()
    assert seen["state"] == seen["payload"] == {"a": None, "b": 'O\'Hara "x" \\', "n": 3}
    assert (seen["wid"], seen["flow"], seen["attempt"], seen["transition"]) == (wid, shop.flow, 1, "tr_one")
    assert seen["matched"] == [1] and seen["actor"] == "tester"
    assert 0 < seen["left"].total_seconds() <= 5
    assert seen["deadline"] > shop.one("select wedsql.now()")
    assert seen["job"].wid == wid and seen["job"].state == seen["state"] and seen["job"].writes is None


def test_a_set_string_is_evaluated_on_current_values(shop: Shop) -> None:
    shop.on("tr_one", lambda state, ctx: "a = 'set', n = n + 1, b = upper('x')")
    wids = shop.start(3, n=41)
    shop.work(BATCH)
    assert [shop.state(wid) for wid in wids] == [{"a": "set", "b": "X", "n": 42}] * 3


def raise_(error: BaseException) -> Any:
    def act(ctx: Any) -> Any:
        raise error

    return act


@pytest.mark.parametrize("size", [1, BATCH])
@pytest.mark.parametrize(
    ("act", "outcome", "sqlstate", "expected_text"),
    [
        (raise_(ValueError("broken")), "failed", "", "ValueError: broken (test_runner.py:"),
        (raise_(SystemExit(3)), "failed", "", "SystemExit: 3"),
        (lambda ctx: None, "aborted", "", "returned nothing"),
        (lambda ctx: "", "aborted", "", "empty SET"),
        (lambda ctx: ctx.abort("not today"), "aborted", "", "not today"),
        (lambda ctx: 5, "failed", "", "BadResult"),
        (lambda ctx: {"nowhere": 1}, "failed", "WD002", "nowhere"),
        (lambda ctx: {"n": "seven"}, "failed", "WD003", "seven"),
        (lambda ctx: {"a": "\ud800"}, "failed", "22P02", ""),
        (lambda ctx: "nonsense =", "failed", "WD211", ""),
        (lambda ctx: "n = 1 / 0", "failed", "WD211", "zero"),
        (lambda ctx: ctx.extend(5), "failed", "", "WrongMode"),
        (lambda ctx: ctx.connection.execute("select 1/0"), "failed", "22012", "zero"),
        (lambda ctx: ctx.connection.execute("select nowhere"), "failed", "42703", "nowhere"),
        (lambda ctx: ctx.connection.execute("commit") and {"a": "x"}, "failed", "", "BrokenStep"),
        (lambda ctx: ctx.connection.close() or {"a": "x"}, "failed", "", "BrokenStep"),
    ],
)
def test_one_bad_handler_in_a_batch(
    shop: Shop, size: int, act: Any, outcome: str, sqlstate: str, expected_text: str
) -> None:
    wids = shop.start(5)
    shop.on("tr_one", picky({wids[2]: act}))
    shop.drain(size)
    others = [wid for wid in wids if wid != wids[2]]
    assert [shop.status(wid) for wid in others] == ["F"] * 4
    assert {len(shop.log(wid)) for wid in others} == {0}, "the others were not even counted"
    ((found, state, message),) = shop.log(wids[2])
    assert (found, state) == (outcome, sqlstate) and expected_text in message
    assert shop.state(wids[2])["a"] is None


@pytest.mark.parametrize("size", [1, BATCH])
def test_a_handler_that_hangs_is_ended_at_its_timeout(shop: Shop, size: int) -> None:
    shop.db.execute(f"update {shop.flow}.wed_trig set timeout = '0.4 s' where trname = 'tr_one'")
    wids = shop.start(3)
    begun = time.monotonic()

    def hanging(ctx: Any) -> Any:
        while True:
            time.sleep(0.02)

    def in_the_database(ctx: Any) -> Any:
        ctx.connection.execute("select pg_sleep(30)")

    shop.on("tr_one", picky({wids[0]: hanging, wids[1]: in_the_database}))
    while shop.status(wids[2]) != "F" and time.monotonic() - begun < 8:
        shop.work(size, seconds=0.5)
    assert shop.status(wids[2]) == "F"
    assert shop.log(wids[0])[0][0] == shop.log(wids[1])[0][0] == "timeout"


def test_the_kernel_rejects_a_result_after_a_swallowed_timeout(shop: Shop) -> None:
    # Without back-off it could be taken again at once, and would then be in time.
    settings = "timeout = '0.3 s', backoff = '0'"
    shop.db.execute(f"update {shop.flow}.wed_trig set {settings} where trname = 'tr_one'")
    (wid,) = shop.start()

    def swallowing(state: Any, ctx: Any) -> Any:
        end = time.monotonic() + 0.8
        while time.monotonic() < end:
            try:
                time.sleep(0.05)
            except BaseException:  # noqa: BLE001, S112  # as careless handlers do
                continue
        return {"a": "late"}

    shop.on("tr_one", swallowing)
    shop.work(seconds=0.1)
    assert shop.status(wid) == "R" and shop.state(wid)["a"] is None
    assert shop.log(wid)[0][:2] == ("timeout", "WD204")


def test_three_aborts_end_in_an_exception_with_its_reason(shop: Shop) -> None:
    shop.db.execute(f"update {shop.flow}.wed_trig set backoff = '0' where trname = 'tr_one'")
    shop.on("tr_one", lambda state, ctx: None)
    (wid,) = shop.start()
    assert shop.work(BATCH) == 3
    assert shop.status(wid) == "E"
    assert shop.one("select reason from wedsql.instance where wid = %s", wid) == "ATTEMPTS"
    assert [row[0] for row in shop.log(wid)] == ["aborted"] * 3 + ["parked"]


def test_one_instance_is_in_a_batch_once_and_its_parallel_jobs_are_all_done(
    shop: Shop,
) -> None:
    shop.db.execute(
        f"insert into {shop.flow}.wed_trig (tgname, trname, cpred, timeout) values"
        f" ('two', 'tr_two', $$ b is null $$, '5 seconds');"
        f"update {shop.flow}.wed_trig set cpred = 'a is not null and b is not null' where cfinal"
    )
    batches: list[int] = []

    def both(state: Any, ctx: Any) -> Any:
        batches.append(ctx.wid)
        return {"a" if ctx.transition == "tr_one" else "b": "done"}

    shop.on("tr_one", both)
    shop.on("tr_two", both)
    wids = shop.start(6)
    assert shop.work(BATCH, names=("tr_one", "tr_two")) == 12
    assert sorted(batches[:6]) == wids and sorted(batches[6:]) == wids
    assert {shop.status(wid) for wid in wids} == {"F"}


def test_a_slow_batch_commits_what_is_done_and_gives_the_rest_back(shop: Shop) -> None:
    shop.db.execute(f"update {shop.flow}.wed_trig set timeout = '1 s' where trname = 'tr_one'")

    def slow(state: Any, ctx: Any) -> Any:
        time.sleep(0.1)
        return {"a": "slow"}

    shop.on("tr_one", slow)
    wids = shop.start(14)
    while any(shop.status(wid) == "R" for wid in wids):
        assert shop.work(20) > 0
    assert {len(shop.log(wid)) for wid in wids} == {0}, "no job timed out because of the others"


def test_numbers_with_a_fraction_stay_exact(shop: Shop) -> None:
    shop.db.execute(f"insert into {shop.flow}.wed_attr (aname, type) values ('money', 'numeric')")
    seen = []

    def pay(state: Any, ctx: Any) -> Any:
        seen.append(state["money"])
        return {"a": "paid", "money": state["money"] + Decimal("0.01")}

    shop.on("tr_one", pay)
    (wid,) = shop.start(1, money=Decimal("12345678901234567.89"))
    shop.work()
    assert seen == [Decimal("12345678901234567.89")]
    assert (
        str(shop.one(f"select money from {shop.flow}.wed_flow where wid = %s", wid)) == "12345678901234567.90"
    )


def test_the_connection_is_offered_in_a_transaction_only(shop: Shop) -> None:
    caught: list[str] = []

    def leased(state: Any, ctx: Any) -> Any:
        with pytest.raises(WrongMode) as error:
            ctx.connection.execute("select 1")
        caught.append(str(error.value))
        return {"a": "leased"}

    shop.on("tr_one", leased)
    (wid,) = shop.start()
    shop.runner.work_leased(shop.flow, ["tr_one"], 1, 5.0)
    assert shop.status(wid) == "F" and "mode='transaction'" in caught[0]


def test_a_compensation_is_served_without_a_rule_of_its_own(shop: Shop) -> None:
    shop.db.execute(
        f"update \"{shop.flow}\".wed_trig set compensation = 'transition', compensated_by = 'tr_undo'"
        " where trname = 'tr_one'"
    )
    assert {one.transition for one in known(shop.runner.wire) if one.flow == shop.flow} >= {
        "tr_one",
        "tr_undo",
    }


def test_a_round_without_commands_sends_nothing(shop: Shop) -> None:
    wire = shop.runner.wire
    assert wire.round() == [] and wire.each() == []
    with wire.connection.transaction():
        assert wire.round() == []
    assert shop.work(1) == 0, "the connection can be used"
