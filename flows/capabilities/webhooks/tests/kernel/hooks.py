"""Webhooks of the tests: saving one, reading what is new for it as the reaper does, and its messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from flows import api
from flows.capabilities.alerts.deliveries import Delivery
from flows.capabilities.webhooks.api import SavedWebhook, Webhook
from flows.tests.kit import Connection, Kit
from testkit.waiting import until_counted

HOOK = Webhook("https://example.org/hook", secret="quiet")
# The events of the history, the slow way.
PLAIN = """
select e.event, t.wid from wedsql.wed_trace t
left join wedsql.wed_trace p on p.wid = t.wid and p.seq = t.seq - 1
cross join lateral (values ('started', t.seq = 1), ('final', t.status = 'F'), ('exception', t.status = 'E'),
                           ('cancelled', t.status in ('A', 'C'))) e (event, holds)
where t.flow_id = %s and e.holds and (e.event = 'started' or t.status is distinct from p.status)
"""


@pytest.fixture
def reaper(kit: Kit) -> Iterator[Connection]:
    connection = kit.connect("wed_reaper")
    until_counted(connection)
    yield connection


def saved(kit: Kit, hook: Webhook = HOOK, replaced: int | None = None) -> SavedWebhook:
    return api.webhooks.save(kit.name, hook, "olga", replaced, conn=kit.conn)


def now(kit: Kit, hook: SavedWebhook) -> SavedWebhook:
    return api.webhooks.read(hook.id, conn=kit.conn)


def read(conn: Connection, hook: SavedWebhook, most: int = 2_000) -> int:
    """Queue all that is new, as the reaper does; return how many rounds had something."""
    for rounds in range(10_000):
        if hook.id not in api.webhooks.due(conn=conn):
            return rounds
        if (found := api.webhooks.steps(hook.id, most, conn=conn)) is None:
            return rounds
        api.webhooks.queue_steps(found, conn=conn)
    raise AssertionError("the reading has no end")


def queued(kit: Kit, hook: SavedWebhook) -> list[tuple[str, int]]:
    found = kit.rows(
        "select message ->> 'event' as event, (message ->> 'wid')::integer as wid from wedsql.delivery"
        " where hook_id = %s",
        [hook.id],
    )
    return [tuple(each) for each in found]


def check(kit: Kit, hook: SavedWebhook) -> Counter[tuple[str, int]]:
    """Compare what is queued with the history, and return it."""
    expected = Counter(tuple(each) for each in kit.rows(PLAIN, [kit.id]))
    assert Counter(queued(kit, hook)) == expected
    return expected


def deliveries(conn: Connection, hold: float = 60) -> list[Delivery]:
    return list(iter(lambda: api.alerts.take_delivery(hold, conn=conn), None))


def fail(conn: Connection, deliveries: list[Delivery], why: str = "It answered 500.") -> None:
    for each in deliveries:
        api.alerts.settle_delivery(each, why, conn=conn)


def listed(kit: Kit, hook: SavedWebhook) -> list[Any]:
    return api.webhooks.deliveries(hook.id, conn=kit.conn)
