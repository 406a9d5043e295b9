"""A trial of a definition does what the published definition does, step by step."""

from __future__ import annotations

import random
from typing import Any

import pytest

from flows import api
from flows.errors import WedError
from flows.tests.kit import Kit, refused
from flows.tests.spread import seeds
from flows.types import Situation

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="a trial has no modes")]

VALUES = ["new", "paid", "sent", None]
ORDER: dict[str, Any] = {
    "attributes": [
        {"name": "payment", "type": "enum", "options": ["open", "paid", "declined"], "default": "open"},
        {"name": "items", "type": "integer", "default": "1"},
    ],
    "triggers": [
        {"transition": "tr_pay", "predicate": "payment = 'open'", "writes": ["payment"]},
        {"transition": "tr_send", "predicate": "payment = 'paid' and (items > 3 or items is null)"},
        {"predicate": "payment = 'paid' and not items > 3", "final": True},
    ],
}


def drawn(draw: random.Random) -> dict[str, Any]:
    """Return a random definition of three text attributes whose triggers have random options."""
    names = ["a", "b", "c"]

    def atom() -> str:
        name = draw.choice(names)
        some = [f"{name} = '{draw.choice(VALUES[:3])}'", f"{name} is null", f"{name} is distinct from 'paid'"]
        return draw.choice([*some, f"{name}::integer > 3"] if draw.random() < 0.2 else some)

    def options() -> dict[str, Any]:
        every: list[dict[str, Any]] = [
            {"fire_once": True}, {"revalidate": "withdraw"}, {"max_firings": 2}, {"refresh_payload": True},
            {"due_after": "1 hour"}, {"on_error": "abort"}, {"enabled": False}, {"writes": ["a", "b"]},
        ]  # fmt: skip
        return draw.choice(every) if draw.random() < 0.4 else {}

    triggers: list[dict[str, Any]] = [
        {"transition": f"tr_{n}", "predicate": draw.choice([" and ", " or "]).join([atom(), atom()])}
        | options()
        for n in range(4)
    ]
    policy = draw.choice(["reject", "defer", "cancel"])
    return {
        "final_when_pending": policy,
        "max_firings": draw.choice([3, 1000]),
        "attributes": [{"name": name} for name in names],
        "triggers": [*triggers, {"predicate": f"{atom()} and {atom()}", "final": True}],
    }


class Twins:
    """A published instance and its trial, which do the same steps."""

    def __init__(self, kit: Kit, definition: dict[str, Any]) -> None:
        self.kit = kit
        self.definition = definition
        kit.publish(definition)
        self.tgids = [row.tgid for row in kit.rows("select tgid from {f}.wed_trig order by tgid")]
        self.tried: Situation | None = None
        self.wid = 0

    def start(self, state: dict[str, Any]) -> bool:
        code = ""
        try:
            self.wid = self.kit.start(**state)
        except WedError as error:
            code = error.code
        if code:
            with refused(code):
                api.trials.try_start(self.definition, state, conn=self.kit.conn)
            return False
        self.tried = api.trials.try_start(self.definition, state, conn=self.kit.conn)
        return True

    def complete(self, place: int, changes: dict[str, Any]) -> str:
        """Complete a job in both; return the SQLSTATE with which both refuse it."""
        assert self.tried is not None
        try:
            self.kit.run(self.definition["triggers"][place]["transition"], self.wid, **changes)
        except WedError as error:
            with refused(error.code):
                api.trials.try_complete(self.definition, self.tried, place, changes, conn=self.kit.conn)
            return error.code
        self.tried = api.trials.try_complete(self.definition, self.tried, place, changes, conn=self.kit.conn)
        return ""

    def agree(self) -> None:
        """Assert that the instance is in the situation of the trial."""
        assert self.tried is not None
        row = self.kit.rows(
            "select i.status, i.reason, i.seq, t.fired, t.state from wedsql.instance i"
            " join wedsql.wed_trace t on t.wid = i.wid where i.wid = %s order by t.seq desc limit 1",
            [self.wid],
        )[0]
        jobs = self.kit.rows(
            "select tgid, state from wedsql.job_pool where wid = %s and tgid > 0", [self.wid]
        )
        timers = self.kit.rows("select tgid from wedsql.timer where wid = %s", [self.wid])
        place = self.tgids.index
        assert (self.tried.status, self.tried.reason) == (row.status, row.reason)
        assert self.tried.state == row.state
        assert self.tried.fired == sorted(map(place, row.fired))
        assert self.tried.pending == sorted(place(job.tgid) for job in jobs)
        assert self.tried.parked == sorted(place(job.tgid) for job in jobs if job.state == "K")
        assert sorted(self.tried.waiting) == sorted(place(timer.tgid) for timer in timers)


@pytest.mark.parametrize("seed", seeds(30, short=4))
def test_a_trial_does_what_the_published_definition_does(kit: Kit, seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - the same run each time
    twins = Twins(kit, drawn(draw))
    if not any(twins.start({name: draw.choice(VALUES) for name in "abc"}) for _ in range(5)):
        return
    twins.agree()
    for _ in range(8):
        assert twins.tried is not None
        ready = [place for place in twins.tried.pending if place not in twins.tried.parked]
        if not ready:
            return
        place = draw.choice(ready)
        writes = twins.definition["triggers"][place].get("writes") or ["a", "b", "c"]
        changes = {name: draw.choice(VALUES) for name in draw.sample(writes, draw.randint(0, len(writes)))}
        if twins.complete(place, changes):
            return
        twins.agree()


def test_a_trial_leaves_nothing_behind(kit: Kit) -> None:
    tables = [
        "flow",
        "trig",
        "attr",
        "instance",
        "job_pool",
        "wed_trace",
        "timer",
        "job_log",
        "condition_failure",
    ]
    count = " + ".join(f"(select count(*) from wedsql.{table})" for table in tables)
    numbers = "select last_value from wedsql.wid_seq union all select last_value from wedsql.tgid_seq"
    before = kit.one(f"select {count}"), kit.rows(numbers)
    tried = api.trials.try_start(ORDER, {}, conn=kit.conn)
    api.trials.try_complete(ORDER, tried, 0, {"payment": "paid"}, conn=kit.conn)
    assert (kit.one(f"select {count}"), kit.rows(numbers)) == before


def test_a_path_from_start_to_final(kit: Kit) -> None:
    tried = api.trials.try_start(ORDER, {}, conn=kit.conn)
    assert (tried.status, tried.fired, tried.held) == ("R", [0], "tff")
    again = api.trials.try_complete(ORDER, tried, 0, {"payment": "declined"}, conn=kit.conn)
    assert (again.status, again.reason, again.pending) == ("E", "STUCK", [])
    repaired = api.trials.try_complete(ORDER, again, -1, {"payment": "paid"}, conn=kit.conn)
    assert (repaired.status, repaired.pending) == ("F", [])
    with refused("WD210"):
        api.trials.try_complete(ORDER, tried, 0, {"items": 5}, conn=kit.conn)
    with refused("WD201"):
        api.trials.try_complete(ORDER, tried, 1, {}, conn=kit.conn)
    with refused("WD003"):
        api.trials.try_start(ORDER, {"payment": "lost"}, conn=kit.conn)
    with refused("WD002"):
        api.trials.try_start(ORDER, {"paymnt": "paid"}, conn=kit.conn)


def test_a_timer_is_due_in_a_trial(kit: Kit) -> None:
    late = ORDER | {
        "triggers": [
            *ORDER["triggers"][1:],
            {"transition": "tr_late", "predicate": "items = 1", "due_after": "1 hour"},
        ]
    }
    tried = api.trials.try_start(late, {}, conn=kit.conn)
    assert (tried.status, tried.pending, list(tried.waiting)) == ("R", [], [2])
    due = api.trials.try_due(late, tried, 2, conn=kit.conn)
    assert (due.fired, due.pending, due.waiting) == ([2], [2], {})


TIMES = ("2999-12-31T10:00:00+00:00", "2001-01-01T00:00:00+00:00", "2999-12-31T10:00:00-09:00")


@pytest.mark.parametrize("due_after", [None, "1 day", "-2 days"])
@pytest.mark.parametrize(("type_", "at"), [("date", "2999-12-31"), *(("timestamptz", at) for at in TIMES)])
def test_a_time_in_an_attribute_comes_in_a_trial(
    kit: Kit, type_: str, at: str, due_after: str | None
) -> None:
    late = {
        "attributes": [{"name": "n", "type": "integer", "default": "1"}, {"name": "at", "type": type_}],
        "triggers": [
            {"transition": "tr_late", "predicate": "n = 1", "due_attr": "at", "due_after": due_after},
            {"transition": "tr_now", "predicate": "n > 0"},
            {"predicate": "n = 0", "final": True},
        ],
    }
    tried = api.trials.try_start(late, {"at": at}, conn=kit.conn)
    if at.startswith("2001"):
        assert (tried.fired, tried.waiting) == ([0, 1], {})
        return
    assert (tried.pending, list(tried.waiting)) == ([1], [0])
    due = api.trials.try_due(late, tried, 0, conn=kit.conn)
    assert (due.fired, due.pending, due.waiting) == ([0], [0, 1], {})
    # It has passed: completed without a change, the rule fires again, as it would with the clock.
    again = api.trials.try_complete(late, due, 0, {}, conn=kit.conn)
    assert (again.fired, again.pending) == ([0], [0, 1])
    # Another time has not passed.
    moved = api.trials.try_complete(late, due, 0, {"at": "3000-01-01"}, conn=kit.conn)
    assert (moved.fired, moved.pending, list(moved.waiting)) == ([], [1], [0])
    assert api.trials.try_due(late, moved, 0, conn=kit.conn).fired == [0]


def test_a_time_that_never_comes_stays_ahead_in_a_trial(kit: Kit) -> None:
    never = {
        "attributes": [{"name": "at", "type": "timestamptz", "default": "infinity"}],
        "triggers": [{"transition": "tr_late", "predicate": "at is not null", "due_attr": "at"}],
    }
    tried = api.trials.try_start(never, {}, conn=kit.conn)
    assert api.trials.try_due(never, tried, 0, conn=kit.conn).fired == []


def test_an_error_of_a_trial_is_that_of_the_published_flow(kit: Kit) -> None:
    """The trial has another flow in the database, whose name is in no text."""
    kit.publish(ORDER)
    state = {"payment": "declined"}
    with pytest.raises(WedError) as real:
        kit.start(**state)
    with pytest.raises(WedError) as tried:
        api.trials.try_start(ORDER, state, flow=kit.name, conn=kit.conn)
    _none, in_path = api.trials.try_path(ORDER, [{"changes": state}], flow=kit.name, conn=kit.conn)
    _none, nameless = api.trials.try_path(ORDER, [{"changes": state}], conn=kit.conn)

    assert f'flow "{kit.name}"' in real.value.sentence
    for error in (tried.value, in_path):
        assert error is not None
        assert (error.code, error.sentence, error.where) == (
            real.value.code, real.value.sentence, real.value.where
        )  # fmt: skip
    assert nameless is not None and 'flow "trial"' in nameless.message


def test_the_part_that_fails_is_named(kit: Kit) -> None:
    def sentences(place: int, **state: Any) -> list[str]:
        predicate = ORDER["triggers"][place]["predicate"]
        return [
            part.sentence for part in api.trials.explain(ORDER, predicate, state, conn=kit.conn).obstacles
        ]

    assert sentences(0, payment="declined", items=1) == ["payment = 'open' is false: payment is 'declined'"]
    assert sentences(1, payment="paid", items=1) == ["items > 3 is false: items is 1"]
    assert sentences(1, payment=None, items=5) == ["payment = 'paid' is unknown: payment is null"]
    assert sentences(2, payment="paid", items=5) == ["items > 3 is true: items is 5"]
    assert sentences(2, payment="open", items=5) == [
        "payment = 'paid' is false: payment is 'open'", "items > 3 is true: items is 5",
    ]  # fmt: skip
    assert sentences(2, payment="paid", items=1) == []
    ahead = api.trials.nearest(ORDER, {"payment": "declined", "items": 1}, conn=kit.conn)
    assert [place for place, _ in ahead] == [0, 2, 1]
