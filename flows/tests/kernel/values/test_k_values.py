"""Values that cannot be stored are rejected with a message; settings written by SQL make a version."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.engine.connection import to_json
from flows.errors import BadDefinition, PredicateRefused, WrongType
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel


def test_a_nul_in_a_state_is_a_wrong_value(fig2: Kit) -> None:
    with pytest.raises(WrongType, match="NUL"):
        fig2.start(a1="a\x00b")
    assert fig2.start(a1="ready", a2="the text \\u0000 is harmless")
    deep: Any = "a text \\u0000"
    for _ in range(900):
        deep = [deep]
    assert to_json({"a1": deep}).count("[") == 900


def test_a_lone_surrogate_is_refused(fig2: Kit) -> None:
    with pytest.raises(BadDefinition, match="surrogates"):
        fig2.start(a1="\ud800")


def test_a_nul_in_a_predicate_is_no_lost_database(fig2: Kit) -> None:
    with pytest.raises((WrongType, PredicateRefused)) as caught:
        api.flows.check_predicate(fig2.name, "a1 = '\x00'", conn=fig2.conn)
    assert not caught.value.transient


@pytest.mark.parametrize(
    "definition",
    [
        {"attributes": ["x"], "triggers": []},
        {"attributes": [], "triggers": [3]},
        {"attributes": [], "triggers": [{"transition": "tr_x", "predicate": "true", "priority": "high"}]},
        {"attributes": [], "triggers": [{"transition": "tr_x", "predicate": "true", "timeout": "soon"}]},
        {"attributes": [], "triggers": [{"transition": "tr_x", "predicate": "true", "priority": None}]},
        {"attributes": [{"name": "a", "position": "last"}], "triggers": []},
        {"attributes": [], "triggers": [], "final_when_pending": "sometimes"},
        {"attributes": [], "triggers": [], "notify_trace": "perhaps"},
        {"attributes": [], "triggers": [], "retention": "a while"},
        {"attributes": [], "triggers": [], "default_timeout": "-1 second"},
        {"attributes": [], "triggers": [], "retentoin": "1 day"},
        {"attributes": []},
        [],
    ],
)
def test_a_malformed_definition_is_rejected_and_changes_nothing(
    fig2: Kit, definition: dict[str, object]
) -> None:
    before = api.flows.definition(fig2.name, conn=fig2.conn)
    with refused("WD009"):
        api.flows.publish(fig2.name, definition, conn=fig2.conn)
    assert api.flows.definition(fig2.name, conn=fig2.conn) == before


@pytest.mark.parametrize(
    "kind", ["text)::text; drop table wedsql.beat; select ($1::text", "int", "money", "text[]"]
)
def test_a_type_is_one_of_the_list_and_never_a_piece_of_sql(fig2: Kit, kind: str) -> None:
    with refused("WD009") as why:
        fig2.attr("b", "1", kind)
    assert "is not a value of type" in why.message
    with refused("WD009"):
        fig2.rows("update {f}.wed_attr set type = %s where aname = 'a1'", [kind])
    assert fig2.one("select to_regclass('wedsql.beat')") is not None


def test_a_setting_written_by_hand_takes_effect_and_is_a_version(fig2: Kit) -> None:
    version = fig2.one("select version from wedsql.flow where id = %s", [fig2.id])
    fig2.policy(max_firings=3)
    assert fig2.rows("select version, fuse from wedsql.flow where id = %s", [fig2.id]) == [(version + 1, 3)]
    kept = fig2.one(
        "select definition ->> 'max_firings' from wedsql.flow_version where flow_id = %s and version = %s",
        [fig2.id, version + 1],
    )
    assert kept == "3"


def test_the_default_timeout_of_a_flow_is_that_of_its_new_triggers(kit: Kit) -> None:
    kit.policy(default_timeout="5 minutes")
    kit.attrs("a")
    kit.rows("insert into {f}.wed_trig (trname, cpred) values ('tr_x', 'a is null')")
    assert kit.one("select timeout = '5 minutes' from {f}.wed_trig")


def test_a_rematch_under_immediate_constraints_sees_the_new_trigger(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_a", "a = '1'")
    wid = kit.start(a="1")
    kit.run("tr_a", wid, a="2")
    assert kit.status(wid) == "E"
    with kit.conn.transaction():
        kit.rows("set constraints all immediate")
        kit.trig("tr_b", "a = '2'")
    assert (kit.status(wid), kit.jobs(wid)) == ("R", ["tr_b"])


def test_statistics_of_an_emptied_pool_do_not_turn_lookups_into_scans(fig2: Kit) -> None:
    """After ANALYZE of an empty pool, the plans of take and complete still look jobs up by wid."""
    fig2.rows("set enable_seqscan = off")
    fig2.rows("analyze wedsql.job_pool")
    plan = "\n".join(
        row[0]
        for row in fig2.rows(
            "explain (costs off) select * from unnest(array[1, 2], array[1, 2]::bigint[]) c (wid, id)"
            " left join lateral (select * from wedsql.job_pool p"
            " where p.wid = c.wid and p.id = c.id offset 0) j on true"
        )
    )
    assert "Index Cond: (wid = c.wid)" in plan
    bodies = fig2.one(
        "select string_agg(prosrc, ' ') from pg_proc where proname in ('_check_jobs', '_taken')"
        " and pronamespace in ('wedsql'::regnamespace, %s::regnamespace)",
        [fig2.name],
    )
    assert bodies.count("offset 0") == 2
