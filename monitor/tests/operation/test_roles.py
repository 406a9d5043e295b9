"""Roles on the list of jobs, on the page of an instance and in the HTTP API."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from flows import api
from flows.queries import jobs
from monitor.tests.conftest import Parcels, person, text_of
from monitor.tests.filters.test_paging import ENOUGH, OTHERS, _touched, short_pages, walk
from monitor.tests.server.programs import program

__all__ = ["short_pages"]
ROW = r'scope="row" class="mono">(\d+)</th>'


@pytest.fixture
def shop(parcels: Parcels) -> Parcels:
    """Packing is for clerks, labelling for robots & co."""
    give(parcels, "tr_pack", "Clerk")
    give(parcels, "tr_label", "Robots & co")
    return parcels


def give(parcels: Parcels, transition: str, role: str) -> None:
    parcels.connection.execute(
        "update wedsql.trig set role = %s where trname = %s and flow_id = %s",
        [role, transition, parcels.flow_id],
    )


def listed(client: Client, parcels: Parcels, query: str = "") -> str:
    answer = client.get(f"/flows/{parcels.flow}/jobs/?{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_jobs_are_listed_with_their_roles_and_by_role(alice: Client, shop: Parcels) -> None:
    shop.start()
    page = listed(alice, shop)
    assert ">Role<" in page and 'aria-label="Roles"' in page and "Pack it" in page and "tr_label" in page
    assert 'href="?role=Robots+%26+co"' in page and ">Robots &amp; co</a>" in page
    clerks = listed(alice, shop, "role=Clerk&behind=a~0~1")
    assert "Pack it" in clerks and "tr_label" not in clerks
    assert re.search(r'href="\?role=Clerk"\s+aria-current="true"', clerks)
    assert re.findall(ROW, listed(alice, shop, "role=Robots+%26+co")) != re.findall(ROW, clerks)
    assert re.findall(ROW, listed(alice, shop, "role=clerk")) == []
    assert re.findall(ROW, listed(alice, shop, "role=Clerk&transition=tr_label")) == []
    for state in ("late", "leased", "parked"):
        assert re.findall(ROW, listed(alice, shop, f"role=Clerk&state={state}")) == []


def test_a_flow_without_roles_shows_none(alice: Client, parcels: Parcels) -> None:
    parcels.start()
    page = listed(alice, parcels)
    assert ">Role<" not in page and 'aria-label="Roles"' not in page
    assert "All roles" in listed(alice, parcels, "role=%00<b>") and "<b>" not in listed(
        alice, parcels, "role=<b>"
    )


def test_leased_parked_and_late_jobs_are_listed_by_role(alice: Client, shop: Parcels) -> None:
    wids = shop.start_many(3)
    for transition, state in (("tr_pack", "L"), ("tr_label", "L")):
        shop.connection.execute(
            "update wedsql.job_pool set state = %s, lckid = 'w', claim = 7,"
            " lease_until = wedsql.now() - interval '1 hour' where trname = %s and wid = %s",
            [state, transition, wids[0]],
        )
    shop.connection.execute("update wedsql.job_pool set late = true where wid = %s", [wids[1]])
    for state, count in (("leased", 1), ("late", 2)):
        page = listed(alice, shop, f"role=Clerk&state={state}")
        assert len(re.findall(ROW, page)) == count and "tr_label" not in page


def test_triggers_of_one_transition_can_have_two_roles(site: None, shop: Parcels) -> None:
    """The jobs of the other trigger are not listed, though they have the same transition."""
    shop.connection.execute(
        "insert into wedsql.trig (flow_id, trname, cpred, role) values (%s, 'tr_pack', %s, 'Boss')",
        [shop.flow_id, "stage = 'lost'"],
    )
    new, lost = shop.start(), shop.start(stage="lost")
    found = {role: jobs.listed(shop.flow_id, "pending", role=role)[0] for role in ("Clerk", "Boss")}
    assert [job.wid for job in found["Clerk"]] == [new]
    assert [(job.wid, job.transition) for job in found["Boss"]] == [(lost, "tr_pack")]


def test_a_compensation_has_no_role(alice: Client, shop: Parcels) -> None:
    shop.connection.execute(
        "update wedsql.trig set compensation = 'transition', compensated_by = 'tr_unpack'"
        " where flow_id = %s and trname = 'tr_pack'",
        [shop.flow_id],
    )
    wid = shop.start()
    shop.do("tr_pack", wid, stage="packed")
    api.compensations.abort(wid, "Not wanted.", conn=shop.connection)
    (job,) = jobs.of_instance(wid)
    assert (job.transition, job.role) == ("tr_unpack", "")
    assert jobs.listed(shop.flow_id, "pending", role="Clerk") == ([], None)
    ((one,), _) = jobs.listed(shop.flow_id, "pending")
    assert (one.transition, one.role) == ("tr_unpack", "")


def test_pages_of_a_role_have_each_job_once(alice: Client, shop: Parcels, short_pages: None) -> None:
    give(shop, "tr_send", "Clerk")
    shop.start_many(5)
    shop.start_many(3, stage="packed", extra={})
    shop.connection.execute(
        "update wedsql.trig set priority = 5 where trname = 'tr_pack' and flow_id = %s", [shop.flow_id]
    )
    shop.start_many(2)
    pages = list(walk(alice, f"/flows/{shop.flow}/jobs/?role=Clerk", "next", ROW))
    expected = shop.connection.execute(
        "select id from wedsql.job_pool where flow_id = %s and trname <> 'tr_label'"
        " order by trname, priority desc, id",
        [shop.flow_id],
    ).fetchall()
    assert [job for page in pages for job in page] == [job for (job,) in expected]
    assert [len(page) for page in pages] == [4, 4, 2]


def test_a_page_of_a_role_does_not_read_the_jobs_of_others(alice: Client, shop: Parcels) -> None:
    shop.start_many(OTHERS)
    shop.connection.execute("analyze wedsql.job_pool")
    (middle,) = shop.connection.execute(
        "select id from wedsql.job_pool where flow_id = %s and trname = 'tr_pack' order by id offset %s"
        " limit 1",
        [shop.flow_id, OTHERS // 2],
    ).fetchone()  # type: ignore[misc]
    for query in ("role=Clerk", f"role=Clerk&behind=tr_pack~0~{middle}", "role=Clerk&behind=tr_label~0~1"):
        with CaptureQueriesContext(connection) as captured:
            assert len(re.findall(ROW, listed(alice, shop, query))) == 50
        found = [each["sql"] for each in captured.captured_queries if "job_pool" in each["sql"]]
        assert found and sum(map(_touched, found)) < ENOUGH, query


def test_the_page_of_an_instance_shows_the_role_of_each_job(alice: Client, shop: Parcels) -> None:
    wid = shop.start()
    page = text_of(alice.get(f"/instances/{wid}/").content)
    assert "Role Clerk" in page and "Role Robots &amp; co" in page


def test_the_api_has_the_roles_of_jobs_and_lists_by_them(site: None, shop: Parcels) -> None:
    operator = program(person("olga", f"flow:{shop.flow}:operate"), "operate")
    wid = shop.start()
    found: list[Any] = operator.get(f"/flows/{shop.flow}/jobs?role=Clerk").json()["items"]
    assert [(job["transition"], job["role"]) for job in found] == [("tr_pack", "Clerk")]
    own = operator.get(f"/instances/{wid}").json()["jobs"]
    assert {job["role"] for job in own} == {"Clerk", "Robots & co"}
    assert operator.get(f"/flows/{shop.flow}/jobs?role=%00none").json() == {"items": [], "next": None}
