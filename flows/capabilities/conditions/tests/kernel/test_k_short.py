"""The fast path of a single result has the effects of the general path, also with odd settings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flows.tests.kit import Connection, Kit

pytestmark = pytest.mark.kernel

ODD = (
    "set datestyle = 'German, DMY'",
    "set timezone = 'Asia/Tokyo'",
    "set intervalstyle = 'iso_8601'",
    "set search_path = ''",
    "set plan_cache_mode = force_custom_plan",
)
KINDS = {
    "day": ("date", "2026-03-04"),
    "at": ("timestamptz", "2026-03-04 05:06:07+00"),
    "span": ("interval", "1 day 02:03:04"),
    "doc": ("jsonb", {"k": [1, None, "x"]}),
    "n": ("integer", 7),
    "amount": ("numeric", 1.5),
    "yes": ("boolean", True),
}


def odd_session(kit: Kit) -> Connection:
    """Return a session with settings that no function of the kernel may depend on."""
    conn = kit.connect()
    for setting in ODD:
        conn.execute(setting)  # type: ignore[call-overload]
    return conn


def held(kit: Kit, transition: str, changes: dict[str, Any]) -> None:
    conn = odd_session(kit)
    jobs = f"select wid, job_id from {kit.name}.hold(%s, 1)"
    found = conn.execute(jobs, [[transition]]).fetchone()  # type: ignore[call-overload]
    assert found
    done = f"select {kit.name}.complete_held(%s, %s, %s)"
    conn.execute(done, [*found, json.dumps(changes)])  # type: ignore[call-overload]


def together(kit: Kit, transition: str, changes: dict[str, Any]) -> None:
    """Complete by the general path, which a SET string and a batch use."""
    conn = odd_session(kit)
    jobs = f"select wid, job_id from {kit.name}.take(%s, 1)"
    with conn.transaction():
        found = conn.execute(jobs, [[transition]]).fetchone()  # type: ignore[call-overload]
        assert found
        given = "array[%s::int], array[%s::bigint], array[null::bigint], array[%s::jsonb], 'x'"
        done = f"select * from {kit.name}._commit({given})"
        conn.execute(done, [*found, json.dumps(changes)])  # type: ignore[call-overload]


def recorded(kit: Kit, wid: int) -> list[dict[str, Any]]:
    """Return the history without the columns that differ between instances."""
    private = {"wid", "tstmp", "job_id", "actor", "tx_at", "xid", "trace_id"}
    rows = kit.rows("select to_jsonb(t) as row from wedsql.wed_trace t where wid = %s order by seq", [wid])
    return [{key: value for key, value in row.row.items() if key not in private} for row in rows]


@pytest.mark.parametrize("name", KINDS)
def test_each_type_is_written_the_same_by_either_way(kit: Kit, name: str) -> None:
    kind, value = KINDS[name]
    kit.attrs("a")
    kit.attr(name, kind=kind)
    kit.trig("tr_x", f"a = '1' and {name} is null")
    kit.trig("tr_y", f"a = '1' and {name} is not null")
    kit.final("a = '2'")
    first, second = kit.start(a="1"), kit.start(a="1")
    held(kit, "tr_x", {name: value})
    together(kit, "tr_x", {name: value})
    assert recorded(kit, first) == recorded(kit, second)
    assert kit.state(first) == kit.state(second) != {}
    assert kit.jobs(first) == ["tr_y"]


def test_a_predicate_that_reads_a_date_from_a_text_does_not_ask_the_session(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_x", "a = '1' and b is null")
    kit.trig("tr_y", "b::date > '2026-03-04'::date")
    kit.final("a = '2'")
    first, second = kit.start(a="1"), kit.start(a="1")
    held(kit, "tr_x", {"b": "03/05/2026"})
    together(kit, "tr_x", {"b": "03/05/2026"})
    assert recorded(kit, first) == recorded(kit, second)


def test_a_wide_row_changes_only_the_given_attributes(kit: Kit) -> None:
    names = [f"c{number:02}" for number in range(20)]
    kit.attrs(*names)
    kit.trig("tr_x", "c00 = '1'")
    kit.final("c00 = '2'")
    first, second = kit.start(c00="1", c09="old"), kit.start(c00="1", c09="old")
    changes = {"c00": "2", "c07": "seven", "c08": "eight", "c09": None, "c19": "last"}
    held(kit, "tr_x", changes)
    together(kit, "tr_x", changes)
    assert recorded(kit, first) == recorded(kit, second)
    assert {name: value for name, value in kit.state(first).items() if value is not None} == {
        name: value for name, value in changes.items() if value is not None
    }
    assert kit.trace(first)[1].before == {"c00": "1", "c07": None, "c08": None, "c09": "old", "c19": None}


def test_a_trigger_that_holds_again_after_its_own_step_fires_again(kit: Kit) -> None:
    kit.attr("n", default="0", kind="integer")
    kit.trig("tr_x", "n < 3")
    kit.final("n = 3")
    first, second = kit.start(), kit.start()
    for turn in range(1, 4):
        held(kit, "tr_x", {"n": turn})
        together(kit, "tr_x", {"n": turn})
    assert recorded(kit, first) == recorded(kit, second)
    assert [row[0] for row in kit.story(first)] == ["_INIT", "tr_x", "tr_x", "tr_x"]
    assert kit.status(first) == "F"
