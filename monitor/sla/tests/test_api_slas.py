"""SLAs, calendars and clocks over HTTP: the same as on the pages, with the same rights."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from flows import api
from monitor.tests.conftest import Parcels, person
from monitor.tests.server.programs import Program, operator, owner, problem, program

__all__ = ["operator", "owner"]
OFFICE = {"name": "office", "zone": "Europe/Berlin", "hours": {"1": [["00:00", "24:00"]]}, "holidays": {}}
SLA = {"name": "pack", "duration": 14400.0, "start_when": "stage = 'new'", "stop_when": "stage <> 'new'",
       "pause_when": "", "calendar": "office", "enabled": True}  # fmt: skip


def test_an_sla_is_defined_replaced_read_and_removed(
    operator: Program, owner: User, parcels: Parcels
) -> None:
    base = f"/flows/{parcels.flow}"
    calendar = operator.post(f"{base}/calendars", OFFICE).json()
    sla = operator.post(f"{base}/slas", SLA).json()
    assert calendar.items() >= OFFICE.items() and sla.items() >= SLA.items()
    assert operator.get(f"{base}/calendars").json()["items"] == [calendar | {"used_by": ["pack"]}]
    address, own = f"{base}/slas/{sla['id']}", f"{base}/calendars/{calendar['id']}"
    assert "used" in problem(operator.delete(own), 422)["detail"]
    changed = operator.put(address, SLA | {"calendar": "", "duration": 60}).json()
    assert (changed["calendar"], changed["duration"], changed["revision"]) == ("", 60, 2)
    assert operator.put(own, OFFICE | {"zone": "America/Sao_Paulo"}).json()["zone"] == "America/Sao_Paulo"
    assert operator.get(f"{base}/slas").json()["items"] == [changed]
    assert changed["changed_by"] == owner.username
    assert [operator.delete(each).status_code for each in (address, own)] == [204, 204]
    assert [operator.get(f"{base}/{kind}").json() for kind in ("slas", "calendars")] == [{"items": []}] * 2


def test_the_clocks_of_an_instance_are_those_of_its_slas(operator: Program, parcels: Parcels) -> None:
    for name, duration in (("pack", 14400), ("soon", 60)):
        one = SLA | {"name": name, "duration": duration, "calendar": ""}
        assert operator.post(f"/flows/{parcels.flow}/slas", one).status_code == 201
    wid = parcels.start()
    shift = "update wedsql.wed_trace set tstmp = tstmp - interval '1 hour' where wid = %s"
    parcels.connection.execute(shift, [wid])
    while (api.sla.advance(conn=parcels.connection) or {}).get("more"):
        pass
    found = {each["sla"]: each for each in operator.get(f"/instances/{wid}/clocks").json()["items"]}
    states = {name: (each["state"], each["breached"], each["last"]) for name, each in found.items()}
    assert states == {"pack": ("running", False, True), "soon": ("breached", True, True)}
    pack, soon = found["pack"], found["soon"]
    assert 3600 <= pack["used"] < pack["duration"] == 14400 and pack["due_at"] > pack["started_at"]
    assert soon["breached_at"] == soon["due_at"] < pack["due_at"]


def ask(client: Program, parcels: Parcels, kind: str, number: int, body: Any) -> list[int]:
    """Return the answers to reading, defining, replacing and removing."""
    base = f"/flows/{parcels.flow}/{kind}"
    one = f"{base}/{number}"
    found = [client.get(base), client.post(base, body), client.put(one, body), client.delete(one)]
    return [each.status_code for each in found]


def test_only_who_may_operate_defines_slas(owner: User, parcels: Parcels) -> None:
    reader, none = program(owner), program(person("mallory"), "operate")
    viewer = program(person("vera", f"flow:{parcels.flow}"), "operate")
    for kind, body in (("calendars", OFFICE), ("slas", SLA)):
        assert ask(reader, parcels, kind, 1, body) == [200, 403, 403, 403]
        assert ask(viewer, parcels, kind, 1, body) == [200, 403, 403, 403]
        assert ask(none, parcels, kind, 1, body) == [404, 404, 404, 404]
    wid = parcels.start()
    assert [each.get(f"/instances/{wid}/clocks").status_code for each in (reader, none)] == [200, 404]


@pytest.mark.parametrize(
    ("kind", "change", "field"),
    [
        ("slas", {"duration": 1}, "1 minute"),
        ("slas", {"duration": "NaN"}, "duration"),
        ("slas", {"name": "a\x00"}, "name"),
        ("slas", {"stop_when": "stag = 'new'"}, "stag"),
        ("slas", {"calendar": "none"}, "none"),
        ("slas", {"limit": 1}, "limit"),
        ("calendars", {"zone": "Europe/Atlantis"}, "Atlantis"),
        ("calendars", {"hours": {"8": []}}, "hours"),
        ("calendars", {"hours": {"1\x00": []}}, "hours"),
        ("calendars", {"holidays": {"2026-02-30": "x"}}, "holidays"),
    ],
)
def test_what_makes_no_sense_is_rejected(
    operator: Program, parcels: Parcels, kind: str, change: dict[str, Any], field: str
) -> None:
    body = (SLA | {"calendar": ""} if kind == "slas" else OFFICE) | change
    assert field in problem(operator.post(f"/flows/{parcels.flow}/{kind}", body), 422)["detail"]


def test_what_there_is_not_is_not_found(operator: Program, parcels: Parcels) -> None:
    for kind, body in (("calendars", OFFICE), ("slas", SLA | {"calendar": ""})):
        for number in (999_999_999, 2**63, 10**30):
            assert ask(operator, parcels, kind, number, body)[2:] == [404, 404]
        operator.delete(f"/flows/{parcels.flow}/{kind}/1")
