"""The times at which instances of a flow start, on its page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client

from flows import api
from monitor.tests.conftest import Parcels, text_of


@pytest.fixture
def timed(parcels: Parcels) -> Iterator[Parcels]:
    conn = parcels.connection
    definition = api.flows.definition(parcels.flow, conn=conn) | {"start_at": ["2020-01-01T06:00Z", "R/PT1H"]}
    api.flows.publish(parcels.flow, definition, conn=conn)
    yield parcels
    conn.execute("delete from wedsql.beat")


def test_the_page_of_a_flow_shows_its_starts_by_time(alice: Client, timed: Parcels) -> None:
    page = alice.get(f"/flows/{timed.flow}/").content.decode()
    shown = text_of(page.encode())
    assert "Starts by time" in shown and "R/PT1H" in shown and "none is left" in shown
    timed.connection.execute(
        "update wedsql.start_time set due_at = wedsql.now() where flow_id = %s and due_at is not null",
        [timed.flow_id],
    )
    assert api.maintenance.reap(conn=timed.connection)["starts"] == 1
    (wid,) = timed.connection.execute("select max(wid) from wedsql.instance").fetchone() or (0,)
    fresh = alice.get(f"/live/flows/{timed.flow}/").json()["parts"]["starts"]
    assert f'href="/instances/{wid}/"' in fresh


def test_a_flow_without_them_shows_nothing_of_it(alice: Client, parcels: Parcels) -> None:
    assert "Starts by time" not in text_of(alice.get(f"/flows/{parcels.flow}/").content)
    assert "starts" not in alice.get(f"/live/flows/{parcels.flow}/").json()["parts"]
