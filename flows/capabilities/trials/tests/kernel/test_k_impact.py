"""Impact foretells for every living instance what publishing then does to it."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from flows import api
from flows.capabilities.trials.tests.kernel.test_k_trial import VALUES, drawn
from flows.errors import WedError
from flows.tests.database.under_load import under_load
from flows.tests.kit import Kit
from flows.tests.spread import seeds

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="publishing depends on no mode")]

SHOP: dict[str, Any] = {
    "attributes": [
        {"name": "state", "type": "enum", "options": ["new", "paid", "sent"], "default": "new"},
        {"name": "items", "type": "integer"},
    ],
    "triggers": [
        {"transition": "tr_pay", "predicate": "state = 'new'"},
        {"transition": "tr_send", "predicate": "state = 'paid'"},
        {"predicate": "state = 'sent'", "final": True},
    ],
}


def with_triggers(*triggers: dict[str, Any]) -> dict[str, Any]:
    return SHOP | {"triggers": list(triggers)}


PAY, SEND, FINAL = SHOP["triggers"]


def foreseen(kit: Kit, definition: dict[str, Any]) -> dict[int, tuple[str, list[str], int]]:
    """Return status, fired transitions and number of withdrawn jobs of instances that would change."""
    found = kit.rows(
        """with p as materialized (select wedsql._plan(%s, %s, false) as plan)
        select w.wid, f.becomes, f.status,
               array(select t.trname from unnest((p.plan).rules) t
                     where t.tgid = any (f.fires) order by 1) as fires,
               cardinality(f.withdrawn) as withdrawn
        from p cross join lateral wedsql._foresee(p.plan, 1, 'infinity', false) f
        cross join lateral unnest(f.wids) w (wid)""",
        [kit.name, Jsonb(definition)],
    )
    return {
        row.wid: (row.becomes, row.fires, row.withdrawn)
        for row in found
        if row.fires or row.withdrawn or row.becomes != row.status
    }


def situation(kit: Kit) -> dict[int, tuple[str, list[str]]]:
    """Return status and pending transitions of every instance."""
    found = kit.rows(
        "select i.wid, i.status, array(select j.trname || j.fired_xid::text from wedsql.job_pool j"
        " where j.wid = i.wid and j.tgid > 0 order by 1) as jobs from wedsql.instance i where i.flow_id = %s",
        [kit.id],
    )
    return {row.wid: (row.status, row.jobs) for row in found}


def happened(kit: Kit, definition: dict[str, Any]) -> dict[int, tuple[str, list[str], int]]:
    """Publish, and return the same of what it did."""
    before = situation(kit)
    kit.publish(definition)
    after = situation(kit)
    fired = {
        row.wid: sorted(row.trf)
        for row in kit.rows(
            "select distinct on (wid) wid, trf, trw from wedsql.wed_trace where flow_id = %s"
            " order by wid, seq desc",
            [kit.id],
        )
        if row.trw == "_REMATCH"
    }
    changes = {}
    for wid, (status, jobs) in after.items():
        was, had = before[wid]
        fires = fired.get(wid, [])
        gone = len(had) + len(fires) - len(jobs)
        if status != was or (jobs != had and (fires or gone)):
            changes[wid] = (status, fires, gone)
    return changes


def first_definition(draw: random.Random, plain: bool) -> dict[str, Any]:
    """Return a random definition that no failing condition rejects, `plain` with the paper's options only."""
    definition = drawn(draw)
    for trigger in definition["triggers"]:
        beyond = ("fire_once", "revalidate", "refresh_payload", "due_after") if plain else ()
        for option in ("on_error", *beyond):
            trigger.pop(option, None)
    return definition


def run_some(kit: Kit, draw: random.Random) -> None:
    """Start instances and complete a job of every second one; what is rejected is left out."""
    for _ in range(25):
        try:
            wid = kit.start(**{name: draw.choice(VALUES) for name in "abc"})
            if draw.random() < 0.5:
                row = kit.rows(
                    "select trname from wedsql.job_pool where wid = %s and tgid > 0 limit 1", [wid]
                )
                kit.run(row[0].trname, wid, **{draw.choice("ab"): draw.choice(VALUES)})
        except (WedError, IndexError):
            kit.conn.rollback()


def second_definition(kit: Kit, draw: random.Random) -> Any:
    """Return the published definition with random changes."""
    second: Any = copy.deepcopy(api.flows.definition(kit.name, conn=kit.conn))
    other = drawn(draw)["triggers"]
    for place, trigger in enumerate(second["triggers"]):
        if draw.random() < 0.5:
            trigger["predicate"] = other[place % len(other)]["predicate"].replace("::integer > 3", " is null")
    if draw.random() < 0.3:
        second["triggers"].pop(0)
    if draw.random() < 0.5:
        second["triggers"].append({"transition": "tr_new", "predicate": "a = 'new' or b is null"})
    if draw.random() < 0.2 and second["attributes"][-1]["name"] != "d":
        second["attributes"].append({"name": "d", "default": "x"})
    return second


@pytest.mark.parametrize("seed", seeds(40, short=6))
def test_each_instance_gets_what_was_foreseen(kit: Kit, seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - the same run each time
    api.flows.publish(kit.name, first_definition(draw, plain=bool(seed % 2)), conn=kit.conn)
    run_some(kit, draw)
    second = second_definition(kit, draw)
    expected = foreseen(kit, second)
    predicted = api.trials.impact(kit.name, second, conn=kit.conn)
    assert expected == happened(kit, second)
    assert predicted.exact
    assert predicted.living == predicted.examined


def test_counts_and_samples_of_a_changed_rule(kit: Kit) -> None:
    kit.publish(SHOP)
    numbers = {row.trname: row.tgid for row in kit.rows("select trname, tgid from {f}.wed_trig")}
    wids = [kit.start(state="paid", items=n) for n in range(30)]
    kit.start(items=3)
    changed = with_triggers(
        PAY,
        SEND | {"predicate": "state = 'paid' and items > 20"},
        {"transition": "tr_few", "predicate": "state = 'paid' and items < 5"},
        FINAL,
    )
    found = api.trials.impact(kit.name, changed, conn=kit.conn)
    assert (found.living, found.exact, found.stops_readers) == (31, True, False)
    send = next(rule for rule in found.rules if rule.tgid == numbers["tr_send"])
    assert (send.both.count, send.only_before.count, send.only_after.count, send.neither.count) == (
        9,
        21,
        0,
        1,
    )
    assert send.only_before.sample == wids[:20]
    assert send.loses_condition.count == 21
    few = next(rule for rule in found.rules if rule.tgid is None)
    assert (few.trigger, few.fires.count, few.fires.sample) == (2, 5, wids[:5])
    assert found.fired == {"tr_few": 5}
    assert len(found.rules) == 2, "rules that did not change are not counted"
    report = api.flows.publish(kit.name, changed, conn=kit.conn)
    assert api.trials.deviations(found, report) == {}
    assert api.trials.deviations(found, api.flows.publish(kit.name, changed, conn=kit.conn)) == {
        "fired tr_few": (5, 0)
    }


def test_exceptions_begin_and_end_and_finals_change(kit: Kit) -> None:
    kit.publish(SHOP)
    stuck, final, other = kit.start(), kit.start(state="sent"), kit.start(state="paid")
    kit.run("tr_pay", stuck, state=None)
    changed = with_triggers(
        PAY, {"transition": "tr_wake", "predicate": "state is null"}, FINAL | {"predicate": "state = 'paid'"}
    )
    found = api.trials.impact(kit.name, changed, conn=kit.conn)
    assert found.left_exception.sample == [stuck]
    assert found.no_longer_final.sample == [final]
    assert found.final.sample == [other]
    report = api.flows.publish(kit.name, changed, conn=kit.conn)
    assert api.trials.deviations(found, report) == {}
    back = api.trials.impact(kit.name, SHOP, reopen_final=True, conn=kit.conn)
    assert back.new_exception.count == 1
    assert back.reopened.sample == [other]
    report = api.flows.publish(kit.name, SHOP, reopen_final=True, conn=kit.conn)
    assert api.trials.deviations(back, report) == {}


SUPPRESSING: dict[str, Any] = {
    "attributes": [{"name": "a"}, {"name": "b"}],
    "triggers": [
        {"transition": "tr_one", "predicate": "a = '1'"},
        {"transition": "tr_two", "predicate": "b = '1'"},
        {"transition": "tr_three", "predicate": "a = '2'"},
        {"predicate": "a = '2'", "final": True},
    ],
}
ONE, TWO, THREE, OVER = SUPPRESSING["triggers"]
FINALS: dict[str, list[dict[str, Any]]] = {
    "another": [ONE, TWO, THREE, OVER | {"predicate": "a = 'over'"}],
    "stricter": [ONE, TWO, THREE, OVER | {"predicate": "a = '2' and b = 'x'"}],
    "removed": [ONE, TWO, THREE],
    "disabled": [ONE, TWO, THREE, OVER | {"enabled": False}],
    "the same": [ONE, TWO | {"predicate": "b in ('1', '2')"}, THREE, OVER],
}


@pytest.mark.parametrize("change", FINALS)
@pytest.mark.parametrize("suppressed_by", ["defer", "publication"])
def test_what_a_final_state_suppressed_is_foreseen(kit: Kit, suppressed_by: str, change: str) -> None:
    """tr_three holds in a final state that waits for tr_two; else it fires, though it is unchanged."""
    before = SUPPRESSING | {"final_when_pending": "defer"}
    if suppressed_by == "publication":
        before = SUPPRESSING | {"triggers": [ONE, TWO, OVER | {"predicate": "a = 'over'"}]}
    kit.publish(before)
    wid = kit.start(a="1", b="1")
    kit.run("tr_one", wid, a="2")
    if suppressed_by == "publication":
        kit.publish(SUPPRESSING)
    assert kit.jobs(wid) == ["tr_two"]
    definition = SUPPRESSING | {"triggers": FINALS[change]}
    expected, found = foreseen(kit, definition), api.trials.impact(kit.name, definition, conn=kit.conn)
    fires = [] if change == "the same" else ["tr_three"]
    assert [fired for _, fired, _ in expected.values()] == [fires][: len(fires)]
    report = api.flows.publish(kit.name, definition, conn=kit.conn)
    assert api.trials.deviations(found, report) == {}
    assert kit.jobs(wid) == ["tr_two", *fires]


def test_a_failing_condition_that_aborts_is_foreseen(kit: Kit) -> None:
    kit.publish(SHOP | {"attributes": [*SHOP["attributes"], {"name": "note"}]})
    wid = kit.start(note="text")
    kit.start(note="5")
    changed = SHOP | {
        "attributes": [*SHOP["attributes"], {"name": "note"}],
        "triggers": [
            PAY,
            {"transition": "tr_n", "predicate": "note::integer > 3", "on_error": "abort"},
            FINAL,
        ],
    }
    found = api.trials.impact(kit.name, changed, conn=kit.conn)
    assert found.refused.sample == [wid]


def test_a_limit_is_stated(kit: Kit) -> None:
    kit.publish(SHOP)
    for _ in range(20):
        kit.start()
    changed = with_triggers(PAY, SEND | {"predicate": "state = 'paid' or items = 1"}, FINAL)
    found = api.trials.impact(kit.name, changed, limit=5, conn=kit.conn)
    assert not found.exact
    assert 0 < found.examined < 20
    stopped = api.trials.impact(kit.name, changed, seconds=-1, conn=kit.conn)
    assert (stopped.examined, stopped.exact) == (0, False)


def test_prediction_holds_to_the_instance_under_load(kit: Kit) -> None:
    kit.publish(SHOP)
    with under_load(kit):
        changed = with_triggers(
            PAY,
            SEND | {"predicate": "state = 'paid' and items > 3"},
            {"transition": "tr_wake", "predicate": "state is null and items > 5"},
            FINAL,
        )
        with kit.conn.transaction():  # what workers do in between would be a difference
            kit.rows("select wedsql._lock_definition(%s)", [kit.id])
            expected, predicted = foreseen(kit, changed), api.trials.impact(kit.name, changed, conn=kit.conn)
            assert expected == happened(kit, changed)
        assert predicted.left_exception.count + predicted.new_exception.count > 0
