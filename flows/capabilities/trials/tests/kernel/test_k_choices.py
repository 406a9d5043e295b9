"""A publication does to each group of living instances what was chosen, and impact foretells it."""

from __future__ import annotations

import random
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from flows import api
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
from flows.tests.database.under_load import under_load
from flows.tests.kit import Kit, refused
from flows.tests.spread import seeds
from flows.types import GroupChoices, Publication, PublicationChoices

pytestmark = pytest.mark.kernel
Situation = dict[int, tuple[str, list[str], int]]


def published(kit: Kit, definition: Any, groups: GroupChoices, reopen: bool = False) -> Publication:
    """Publish a definition by a draft, as pages do."""
    draft = api.drafts.open(kit.name, "choices", definition=definition, actor="ann", conn=kit.conn)
    choices = PublicationChoices(reopen_final=reopen, groups=groups)
    done = api.publications.request(draft.at, choices, actor="ann", conn=kit.conn)
    kit.conn.execute("delete from wedsql.draft where flow = %s", [kit.name])
    return done


def foreseen(kit: Kit, definition: Any, groups: GroupChoices, reopen: bool = False) -> Situation:
    """Return status, fired transitions and number of withdrawn jobs of instances that would change."""
    found = kit.rows(
        """with p as materialized (select wedsql._plan(%s, %s, %s, %s) as plan)
        select w.wid, f.becomes, f.status,
               array(select t.trname from unnest((p.plan).rules) t
                     where t.tgid = any (f.fires) order by 1) as fires,
               cardinality(f.withdrawn) as withdrawn
        from p cross join lateral wedsql._foresee(p.plan, 1, 'infinity', %s) f
        cross join lateral unnest(f.wids) w (wid)""",
        [kit.name, Jsonb(definition), reopen, Jsonb(groups.as_json()), reopen],
    )
    return {
        row.wid: (row.becomes, row.fires, row.withdrawn)
        for row in found
        if row.fires or row.withdrawn or row.becomes != row.status
    }


def happened(kit: Kit, definition: Any, groups: GroupChoices, reopen: bool = False) -> Situation:
    """Publish, and return the same of what it did."""
    before = situation(kit)
    version = published(kit, definition, groups, reopen).version
    fired = {
        row.wid: sorted(row.trf)
        for row in kit.rows(
            "select wid, trf from wedsql.wed_trace where flow_id = %s and trw = '_REMATCH' and version = %s",
            [kit.id, version],
        )
    }
    changes = {}
    for wid, (status, jobs) in situation(kit).items():
        was, had = before[wid]
        fires = fired.get(wid, [])
        gone = len(had) + len(fires) - len(jobs)
        if status != was or fires or gone:
            changes[wid] = (status, fires, gone)
    return changes


def drawn_choices(draw: random.Random, definition: Any) -> GroupChoices:
    places = range(len(definition["triggers"]))
    return GroupChoices(
        tuple(place for place in places if draw.random() < 0.5),
        tuple(place for place in places if draw.random() < 0.5),
        draw.random() < 0.5,
    )


@pytest.mark.parametrize("seed", seeds(20, short=3))
def test_each_instance_gets_what_was_chosen_and_foreseen(kit: Kit, seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - the same run each time
    api.flows.publish(kit.name, first_definition(draw, plain=bool(seed % 2)), conn=kit.conn)
    run_some(kit, draw)
    for _round in range(2):  # the second one begins with what the first one has held back
        second = second_definition(kit, draw)
        groups, reopen = drawn_choices(draw, second), draw.random() < 0.3
        expected = foreseen(kit, second, groups, reopen)
        assert expected == happened(kit, second, groups, reopen)
        assert kit.rows("select * from wedsql.invariants() where not ok") == []


def test_jobs_that_lose_their_condition_are_kept_or_withdrawn(kit: Kit) -> None:
    kit.publish(SHOP)
    few, many = kit.start(state="paid", items=2), kit.start(state="paid", items=9)
    changed = with_triggers(PAY, SEND | {"predicate": "state = 'paid' and items > 5"}, FINAL)
    dry = api.trials.impact(kit.name, changed, groups=GroupChoices(withdraw=(1,)), conn=kit.conn)
    assert (dry.rules[0].withdrawn.sample, dry.new_exception.sample) == ([few], [few])
    assert api.trials.impact(kit.name, changed, conn=kit.conn).new_exception.count == 0

    done = published(kit, changed, GroupChoices(withdraw=(1,)))

    assert {wid: status for wid, (status, _jobs) in situation(kit).items()} == {few: "E", many: "R"}
    assert done.report is not None and done.report["samples"]["new_exception"] == [few]
    send = done.report["numbers"][1]
    assert done.report["by_rule"] == {str(send): {"withdrawn": 1, "withdrawn_sample": [few]}}
    fired = published(kit, SHOP, GroupChoices()).report
    assert fired and fired["by_rule"] == {str(send): {"fires": 1, "fires_sample": [few]}}
    kept = kit.start(state="paid", items=9)
    published(kit, with_triggers(PAY, SEND | {"predicate": "items > 99"}, FINAL), GroupChoices())
    assert situation(kit)[kept][0] == "R"


def test_a_rule_that_is_held_back_fires_with_the_next_change(kit: Kit) -> None:
    kit.publish(SHOP)
    wid = kit.start(state="new", items=9)
    audit = {"transition": "tr_audit", "predicate": "items > 5"}

    published(kit, with_triggers(PAY, SEND, FINAL, audit), GroupChoices(later=(3,)))

    pending = "select trname from wedsql.job_pool where wid = %s order by tgid"
    assert [row.trname for row in kit.rows(pending, [wid])] == ["tr_pay"]
    kit.run("tr_pay", wid, state="paid")
    assert [row.trname for row in kit.rows(pending, [wid])] == ["tr_send", "tr_audit"]


def test_the_next_publication_fires_what_was_held_back_and_foretells_it(kit: Kit) -> None:
    kit.publish(SHOP)
    wid = kit.start(state="new", items=9)
    audit = {"transition": "tr_audit", "predicate": "items > 5"}
    published(kit, with_triggers(PAY, SEND, FINAL, audit), GroupChoices(later=(3,)))
    assert kit.rows("select * from wedsql.invariants() where not ok") == []
    changed = with_triggers(PAY, SEND | {"priority": 2, "predicate": "items = 0"}, FINAL, audit)
    assert api.trials.impact(kit.name, changed, conn=kit.conn).fired == {"tr_audit": 1}
    kit.publish(changed)
    assert len(situation(kit)[wid][1]) == 2


def test_exceptions_wake_or_stay(kit: Kit) -> None:
    kit.publish(SHOP)
    wid = kit.start()
    kit.run("tr_pay", wid, state=None)
    changed = with_triggers(PAY, SEND, FINAL, {"transition": "tr_wake", "predicate": "state is null"})

    published(kit, changed, GroupChoices(keep_exceptions=True))
    assert situation(kit)[wid] == ("E", [])
    assert kit.rows("select * from wedsql.invariants() where not ok") == []

    assert published(kit, changed | {"label": "Shop"}, GroupChoices()).report["left_exception"] == 1  # type: ignore[index]
    assert situation(kit)[wid][0] == "R"


def test_an_attribute_that_is_added_is_in_the_history_of_an_exception_that_stays(kit: Kit) -> None:
    kit.publish(SHOP)
    wid = kit.start()
    kit.run("tr_pay", wid, state=None)
    changed = SHOP | {
        "attributes": [*SHOP["attributes"], {"name": "note", "default": "x"}],
        "triggers": [*SHOP["triggers"], {"transition": "tr_wake", "predicate": "note = 'x'"}],
    }
    published(kit, changed, GroupChoices(keep_exceptions=True))
    assert situation(kit)[wid][0] == "E"
    assert kit.rows("select * from wedsql.invariants() where not ok") == []


@pytest.mark.parametrize(
    "choices",
    [
        *("[]", "7", '{"withdraw": [9]}', '{"later": [-1]}', '{"later": ["a"]}'),
        *('{"keep_exceptions": 1}', '{"x": 1}'),
    ],
)
def test_choices_that_mean_nothing_are_rejected(kit: Kit, choices: str) -> None:
    kit.publish(SHOP)
    with refused("WD009"):
        kit.rows("select wedsql.impact(%s, %s, false, 10, 1, %s)", [kit.name, Jsonb(SHOP), choices])


def test_choices_hold_to_the_instance_under_load(kit: Kit) -> None:
    kit.publish(SHOP)
    with under_load(kit):
        changed = with_triggers(
            PAY | {"predicate": "state = 'new' and items <> 3"},
            SEND | {"predicate": "state = 'paid' and items > 3"},
            {"transition": "tr_wake", "predicate": "state is null and items > 5"},
            {"transition": "tr_audit", "predicate": "items in (1, 2)"},
            FINAL,
        )
        groups = GroupChoices(withdraw=(0, 1), later=(3,))
        with kit.conn.transaction():  # what workers do in between would be a difference
            kit.rows("select wedsql._lock_definition(%s)", [kit.id])
            expected = foreseen(kit, changed, groups)
            assert expected == happened(kit, changed, groups)
        assert any(gone for _status, _fires, gone in expected.values())
