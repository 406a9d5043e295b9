"""Publications whose re-match is in batches, for tests: beginning, continuing and finishing one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from flows import api
from flows.capabilities.trials.tests.kernel.test_k_impact import (
    FINAL,
    PAY,
    SEND,
    SHOP,
    with_triggers,
)
from flows.tests.kit import Connection, Kit

AUDIT = {"transition": "tr_audit", "predicate": "items > 5"}
MORE = with_triggers(PAY, SEND, FINAL, AUDIT)


def in_batches(conn: Connection, size: int = 3) -> None:
    """Have this session publish every flow in batches of so many instances."""
    conn.execute("select set_config('wedsql.rematch_at_once', '0', false)")
    conn.execute("select set_config('wedsql.rematch_batch', %s, false)", [str(size)])


@pytest.fixture
def shop(kit: Kit) -> Kit:
    """A flow of two transitions whose publications are re-matched in batches of three."""
    kit.publish(SHOP)
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
    report = api.instances.finish_rematch(kit.name, version, conn=kit.conn)
    assert report and report.left == 0


def by_reaper(conn: Connection) -> int:
    """Continue what is on its way as the reaper does; return the number of batches."""
    batches = 0
    while api.instances.rematch_due(conn=conn):
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
