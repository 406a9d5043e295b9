"""Every door for an operation on an instance asks the kernel's table: each operation, right and status."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from flows import access, api
from flows.capabilities.bulk.queries import applicable
from monitor.bulk.choices import ALL, MANY, REPAIRS
from monitor.operation_words import WORDS
from monitor.operations import OPERATIONS
from monitor.recovery.choices import CHOICES
from monitor.tests.conftest import Parcels, client_of, get, person
from monitor.tests.server.programs import BASE, Program, program
from testkit.cases import pairs

# Groups that grant one right in the flow, and what this includes.
ROLES = {
    "viewer": set[str](),
    "operate": {"operate"},
    "handle": {"handle"},
    "repair": {"handle", "repair"},
    "operate, repair, move": {"operate", "handle", "repair", "move"},
}
# The way to each status from a running instance, whose jobs are tr_pack and tr_label.
WAYS = ("R", "E", "S", "X", "C")
ADDRESS = {
    "retry": "jobs/{job}/retry", "release": "jobs/{job}/release", "withdraw": "jobs/{job}/withdraw",
    "priority": "jobs/{job}/priority", "extend": "jobs/{job}/extend", "reassign": "jobs/{job}/reassign",
    "suspend": "suspend", "resume": "resume", "cancel": "cancel", "rematch": "rematch",
}  # fmt: skip
VALUES = {
    "priority": 3, "seconds": 60, "worker": "press", "changes": {"stage": "new"}, "seq": 1, "peer": "there",
}  # fmt: skip


@dataclass
class Caller:
    """A user with some rights, by the pages and by a token that has all rights."""

    user: User
    pages: Client
    program: Program
    rights: set[str]

    def may(self, operation: str, *, parked: bool = True) -> bool:
        """Return what the table says."""
        one = api.operations.table()[operation]
        return one.permission in self.rights or (not parked and one.unparked in self.rights)


@pytest.fixture
def callers(parcels: Parcels, site: None) -> list[Caller]:
    found = []
    for name, rights in ROLES.items():
        groups = [f"flow:{parcels.flow}", *(f"flow:{parcels.flow}:{each}" for each in sorted(rights))]
        user = person(f"reg_{name.replace(', ', '_')}", *groups)
        token = program(user, "operate", "handle", "repair", "move")
        found.append(Caller(user, client_of(user), token, rights))
    return found


@pytest.fixture
def instances(parcels: Parcels) -> Iterator[dict[str, int]]:
    """An instance in each status, as the table of instances has it: the job tr_pack of all is ready."""
    wids = {status: parcels.start() for status in WAYS}
    for status in WAYS:
        assert parcels.connection.execute(
            "update wedsql.instance set status = %s where wid = %s returning wid", [status, wids[status]]
        ).fetchone()
    yield wids
    for wid in wids.values():
        parcels.connection.execute("update wedsql.instance set status = 'R' where wid = %s", [wid])


def job_of(parcels: Parcels, wid: int) -> int:
    row = parcels.connection.execute(
        "select id from wedsql.job_pool where wid = %s and trname = 'tr_pack'", [wid]
    ).fetchone()
    assert row
    return int(row[0])


def arguments(operation: str, job: int) -> dict[str, Any]:
    values = VALUES | {"job": job, "late": 10**15}
    kinds = api.operations.table()[operation].arguments
    return {name: values[name] for name, kind in kinds.items() if not kind.endswith("?") or name == "job"}


def test_the_pages_have_words_for_each_operation_and_for_no_other(site: None) -> None:
    table = api.operations.offered()
    assert set(WORDS) == set(table)
    assert {name for name, one in WORDS.items() if one.of_many} == {
        name for name, one in table.items() if one.many is not None
    } == set(ALL)  # fmt: skip
    assert set(REPAIRS) == {name for name in ALL if table[name].form == "repair"}
    assert set(MANY) == {name for name in ALL if table[name].form == "operation"}
    repairs = {name for name, one in table.items() if one.form == "repair"}
    assert set(CHOICES) == repairs - {"undo"}, "undo is a button"
    assert set(OPERATIONS) == set(table) - repairs - {"cancel", "rematch", "hand_over"}, "have own pages"
    assert set(ADDRESS) == set(table) - repairs - {"hand_over"}, "which is at the address of repairs"
    for name in ALL:
        assert (applicable(name).statuses, applicable(name).needs) == (table[name].statuses, table[name].jobs)


def test_each_door_forbids_an_operation_to_those_who_have_not_the_right_of_the_table(
    parcels: Parcels, callers: list[Caller]
) -> None:
    """The step is another one, so that nothing happens: whoever may do it gets another answer.

    Of the roles, which are in an order, a short run has one that may and one that may not for each operation.
    """
    wid = parcels.start()
    job = job_of(parcels, wid)
    wrong = []
    seen: dict[str, set[bool]] = {}
    for caller, (name, one) in pairs(callers, api.operations.table().items(), 2):
        given = arguments(name, job)
        doors = {"preview": caller.program.post(
            f"/instances/{wid}/repair/preview", {"operation": name, "arguments": given})}  # fmt: skip
        doors["repair"] = caller.program.post(
            f"/instances/{wid}/repair", {"operation": name, "arguments": given, "reason": "x", "seq": 999}
        )
        doors["propose"] = caller.program.post(
            f"/instances/{wid}/repair/propose",
            {"operation": name, "arguments": given, "reason": "x", "seq": 999},
        )
        if name in OPERATIONS:
            doors["page"] = caller.pages.get(
                f"/instances/{wid}/operate/{name}/", {"job": job} if one.of_job else {}
            )
        if name in ("cancel", "hand_over"):
            doors["page"] = caller.pages.get(f"/instances/{wid}/{name.replace('_', '-')}/")
        may = caller.may(name, parked=name != "retry")
        seen.setdefault(name, set()).add(may)
        wrong += [
            (sorted(caller.rights), name, door, answer.status_code)
            for door, answer in doors.items()
            if (answer.status_code != 403) != may
        ]
        if name in CHOICES:
            page = caller.pages.get(f"/instances/{wid}/repair/", {"operation": name, "job": job})
            if (page.status_code != 403) != caller.may(name):
                wrong.append((sorted(caller.rights), name, "repair page", page.status_code))
    assert wrong == []
    assert all(both == {True, False} for both in seen.values()), seen


def test_each_address_of_an_operation_forbids_it_as_the_table_says(
    parcels: Parcels, callers: list[Caller]
) -> None:
    for caller, (name, address) in pairs(callers, ADDRESS.items(), 2):
        wid = parcels.start()
        body = {"reason": "x", "priority": 3, "seconds": 60, "to": "press"}
        taken = {"priority": ("reason", "priority"), "extend": ("reason", "seconds"),
                 "reassign": ("reason", "to")}.get(name, ("reason",))  # fmt: skip
        answer = caller.program.post(
            f"/instances/{wid}/{address.format(job=job_of(parcels, wid))}",
            {each: body[each] for each in taken},
        )
        assert (answer.status_code != 403) == caller.may(name, parked=False), (caller.rights, name)


def test_many_are_forbidden_as_the_table_says(parcels: Parcels, callers: list[Caller]) -> None:
    parcels.start()
    for caller in callers:
        for name in REPAIRS:
            body = {"operation": name, "q": "status:running"}
            answer = caller.program.post(f"/flows/{parcels.flow}/repairs/preview", body)
            assert (answer.status_code != 403) == caller.may(name), (caller.rights, name, "http")
            page = caller.pages.get("/cases/repair/", {"flow": parcels.flow, "operation": name})
            assert page.status_code != 404
            assert (page.status_code != 403) == caller.may(name), (caller.rights, name, "page")


def test_an_instance_offers_what_its_status_and_the_rights_allow(
    parcels: Parcels, callers: list[Caller], instances: dict[str, int]
) -> None:
    """The buttons of the page are those of the table, in each status."""
    buttons = {
        "suspend": "/operate/suspend/", "resume": "/operate/resume/", "cancel": "/cancel/",
        "rematch": "/rematch/", "hand_over": "/hand-over/", "priority": "/operate/priority/",
        "withdraw": "/operate/withdraw/",
        "extend": "/operate/extend/", "reassign": "/operate/reassign/",
        "complete": "operation=complete", "skip": "operation=skip&amp;job",
        "skip_compensation": "operation=skip_compensation",
    }  # fmt: skip
    wrong = []
    for caller in callers:
        for status, wid in instances.items():
            page = get(caller.pages, f"/instances/{wid}/")
            for name, mark in buttons.items():
                one = api.operations.table()[name]
                expected = status in one.statuses and caller.may(name)
                if (mark in page) != expected:
                    wrong.append((sorted(caller.rights), status, name, mark in page))
            held = access.operations_of(caller.user, parcels.flow, status, wid)
            assert held == {
                name for name, one in api.operations.table().items()
                if status in one.statuses and caller.may(name, parked=False)
            }  # fmt: skip
    assert wrong == []


def test_the_address_of_the_api_is_where_the_table_says(site: None) -> None:
    """The document of the API names the operations of the kernel's table."""
    document = Client().get(f"{BASE}/openapi.json").json()
    named = document["components"]["schemas"]["RepairPreviewIn"]["properties"]["operation"]["enum"]
    many = document["components"]["schemas"]["BulkPreviewIn"]["properties"]["operation"]["enum"]
    table = api.operations.offered()
    assert set(named) == set(table)
    assert set(many) == {name for name, one in table.items() if one.many is not None and one.form == "repair"}
