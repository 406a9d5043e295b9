"""Growing tables are vacuumed early, reported if they are not, and inspected at a constant cost."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from flows import api
from flows.tests.kit import Kit
from testkit.waiting import until

pytestmark = pytest.mark.kernel

SWEPT = ("fillfactor", "autovacuum_vacuum_scale_factor", "autovacuum_vacuum_threshold")
HOT = {
    "wedsql.job_pool": (70, 0, 1000),
    "wedsql.instance": (80, 0.02, 2000),
    "{f}.wed_flow": (80, 0.02, 2000),
    "wedsql.worker": (50, 0, 50),
    "wedsql.watch": (50, None, None),
    "wedsql.beat": (50, None, None),
}


def options(kit: Kit, table: str) -> dict[str, float]:
    found = kit.one("select reloptions from pg_class where oid = %s::regclass", [table]) or []
    return {name: float(number) for name, _, number in (option.partition("=") for option in found)}


def keeping(kit: Kit, tables: int = 50) -> dict[str, Any]:
    return dict(kit.one("select wedsql.housekeeping(%s)", [tables]))


@pytest.mark.parametrize("table", HOT)
def test_f9_hot_tables_leave_room_and_are_swept_by_number(kit: Kit, table: str) -> None:
    found = options(kit, table.format(f=kit.name))
    assert tuple(found.get(name) for name in SWEPT) == HOT[table]


def test_f10_months_of_the_history_are_swept_after_retention(kit: Kit) -> None:
    parts = "select inhrelid::regclass::text from pg_inherits where inhparent = 'wedsql.wed_trace'::regclass"
    months = [row for row in kit.rows(parts) if not row[0].endswith("_default")]
    assert len(months) >= 3
    for (month,) in months:
        assert options(kit, month)["autovacuum_vacuum_scale_factor"] == 0.05


def test_installing_again_reaches_tables_of_an_earlier_release(kit: Kit) -> None:
    kit.rows("alter table {f}.wed_flow reset (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold)")
    kit.rows("select wedsql._vacuum_by_dead_rows(%s)", [kit.name])
    assert options(kit, f"{kit.name}.wed_flow")["autovacuum_vacuum_threshold"] == 2000


def test_f9_dead_rows_are_counted(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_a", "a is null")
    with kit.connect() as other:  # a session that has ended has sent all its statistics
        api.instances.start_many(kit.name, [{} for _ in range(60)], conn=other)
        with other.transaction(force_rollback=True):
            api.instances.start_many(kit.name, [{} for _ in range(40)], conn=other)

    def mine() -> dict[str, Any]:
        return {t["name"]: t for t in keeping(kit)["tables"]}[f"{kit.name}.wed_flow"]  # type: ignore[no-any-return]

    until(lambda: mine()["dead"] == 40)
    found = mine()
    assert (found["live"], found["dead"], found["dead_limit"]) == (60, 40, 300030)
    assert found["bytes"] > 0 and found["vacuumed_at"] is None
    assert len(keeping(kit, 3)["tables"]) == 3


def test_f9_a_transaction_that_holds_vacuum_back_is_named(kit: Kit) -> None:
    with kit.connect() as other:
        other.execute("set application_name = 'long report'")
        with other.transaction(force_rollback=True):
            other.execute("select txid_current()")
            held = keeping(kit)["held_back"]
            assert held["kind"] == "transaction" and "long report" in held["name"] and held["seconds"] >= 0
        held = keeping(kit)["held_back"]
        assert held is None or "long report" not in held["name"]


def test_f10_months_ahead_and_rows_that_missed_their_month(kit: Kit) -> None:
    found = keeping(kit)
    assert found["months_ahead"] >= 2 and found["in_default"] == 0
    assert found["database_bytes"] > 1_000_000
    kit.clock("9000 days")
    assert keeping(kit)["months_ahead"] == 0
    kit.clock("0")


def test_pages_and_monitors_may_look_and_workers_may_not(kit: Kit, connect: Any) -> None:
    for role in ("wed_web", "wed_monitor", "wed_reaper"):
        assert connect(role).execute("select wedsql.housekeeping()").fetchone()
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connect("wed_worker").execute("select wedsql.housekeeping()")
