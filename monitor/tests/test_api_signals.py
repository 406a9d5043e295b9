"""Signals over HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flows import api
from flows.tests.pages import unique
from monitor.tests.conftest import person
from monitor.tests.test_api import problem, program


@pytest.fixture
def flow(site: None) -> Iterator[str]:
    """A flow that waits for a payment and has a masked attribute."""
    name = unique()
    api.create_flow(name)
    attributes = [{"name": "paid"}, {"name": "card", "visibility": "masked"}]
    triggers = [
        {"transition": "payment", "predicate": "paid is null", "signal": True},
        {"predicate": "paid is not null", "final": True},
    ]
    api.publish(name, {"attributes": attributes, "triggers": triggers, "start_by": ["placed"]})
    yield name
    api.drop_flow(name, force=True)


def test_a_signal_is_sent_repeated_and_listed(flow: str) -> None:
    bank = program(person("bank", f"flow:{flow}:operate"), "operate")
    address = f"/flows/{flow}/signals"
    assert bank.post(address, {"signal": "placed", "key": "A"}).json()["outcome"] == "started"
    given = {"signal": "payment", "key": "A", "data": {"paid": "yes"}, "token": "t"}
    sent = bank.post(address, given).json()
    assert (sent["outcome"], sent["seq"], sent["repeated"]) == ("delivered", 2, False)
    assert bank.post(address, given).json() == sent | {"repeated": True}
    assert problem(bank.post(address, given | {"data": {}}), 409)["code"] == "WD561"
    assert problem(bank.post(address, {"signal": "nothing", "key": "A"}), 422)["code"] == "WD560"
    page = bank.get(address + "?limit=1").json()
    assert [each["signal"] for each in page["items"]] == ["payment"] and page["items"][0][
        "sent_by"
    ].startswith("bank")
    assert bank.get(f"{address}?before={page['next']}").json()["items"][0]["signal"] == "placed"


def test_who_may_only_see_sends_nothing(flow: str) -> None:
    viewer = program(person("vera", f"flow:{flow}:see"), "operate")
    assert problem(viewer.post(f"/flows/{flow}/signals", {"signal": "placed"}), 403)
    assert viewer.get(f"/flows/{flow}/signals").json() == {"items": [], "next": None}


def test_masked_values_are_neither_sent_nor_shown(flow: str) -> None:
    api.signal(flow, "placed", {"card": "4711"})
    operator = program(person("omar", f"flow:{flow}:operate"), "operate")
    assert b"4711" not in operator.get(f"/flows/{flow}/signals").content
    assert problem(operator.post(f"/flows/{flow}/signals", {"signal": "placed", "data": {"card": "1"}}), 403)
