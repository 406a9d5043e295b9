"""Signals over HTTP."""

from __future__ import annotations

from flows import api
from monitor.tests.conftest import person
from monitor.tests.server.programs import problem, program


def test_a_signal_is_sent_repeated_and_listed(payments: str) -> None:
    bank = program(person("bank", f"flow:{payments}:operate"), "operate")
    address = f"/flows/{payments}/signals"
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


def test_who_may_only_see_sends_nothing(payments: str) -> None:
    viewer = program(person("vera", f"flow:{payments}:see"), "operate")
    assert problem(viewer.post(f"/flows/{payments}/signals", {"signal": "placed"}), 403)
    assert viewer.get(f"/flows/{payments}/signals").json() == {"items": [], "next": None}


def test_masked_values_are_neither_sent_nor_shown(payments: str) -> None:
    api.signals.send(payments, "placed", {"card": "4711"})
    operator = program(person("omar", f"flow:{payments}:operate"), "operate")
    assert b"4711" not in operator.get(f"/flows/{payments}/signals").content
    given = {"signal": "placed", "data": {"card": "1"}}
    assert problem(operator.post(f"/flows/{payments}/signals", given), 403)
