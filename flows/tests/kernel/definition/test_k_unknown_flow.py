"""Functions that read something of a flow say that there is no such flow, also with empty tables."""

from __future__ import annotations

import pytest

from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel
CALLS = {
    "named_object": "select wedsql.named_objects(%s)",
    "signal": "select wedsql.signals(%s)",
    "figure": "select wedsql.figures(%s, now() - interval '1 day', now(), interval '1 hour')",
    "instance": "select wedsql.kept_since(%s)",
}


@pytest.mark.parametrize("table", CALLS)
def test_an_unknown_flow_is_named_whatever_the_tables_have(kit: Kit, table: str) -> None:
    with kit.conn.transaction(force_rollback=True):
        kit.rows(f"delete from wedsql.{table}")
        kit.rows("set local enable_indexscan = off; set local enable_bitmapscan = off")
        kit.rows("set local plan_cache_mode = force_generic_plan")
        kit.rows(CALLS[table], [kit.name])
        with refused("WD001") as why:
            kit.rows(CALLS[table], ["nowhere"])
        assert "nowhere" in why.message


def test_the_figures_of_transitions_are_those_of_a_flow(kit: Kit) -> None:
    with refused("WD001"):
        kit.rows("select wedsql.transition_figures('nowhere', now() - interval '1 day', now())")
