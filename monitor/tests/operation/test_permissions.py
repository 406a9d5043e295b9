"""Who sees what: everything, one flow, nothing; what is hidden looks like what does not exist."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from flows.access import may_see, visible_flows
from monitor.tests.conftest import Parcels, client_of, person

PAGES = (
    "/flows/{flow}/",
    "/flows/{flow}/jobs/",
    "/instances/{wid}/",
    "/instances/{wid}.json",
    "/live/flows/{flow}/?wids={wid}",
    "/live/instances/{wid}/",
)


@pytest.fixture
def wid(parcels: Parcels) -> int:
    return parcels.start(customer="Ana Secret")


def test_pages_are_404_for_users_without_rights(
    alice: Client, carol: Client, mallory: Client, parcels: Parcels, wid: int
) -> None:
    for path in PAGES:
        address = path.format(flow=parcels.flow, wid=wid)
        assert [c.get(address).status_code for c in (alice, carol, mallory)] == [200, 200, 404], path
        assert b"Secret" not in mallory.get(address).content, path


def test_what_is_hidden_looks_like_what_is_not_there(mallory: Client, parcels: Parcels, wid: int) -> None:
    hidden, absent = (mallory.get(f"/instances/{number}/") for number in (wid, 2147483647))
    assert hidden.status_code == 404 and hidden.content == absent.content


def test_lists_leave_out_what_is_hidden(carol: Client, mallory: Client, parcels: Parcels, wid: int) -> None:
    parcels.connection.execute("select wedsql.create_flow(%s)", ["aa_" + parcels.flow])
    parcels.connection.execute(
        "select wedsql.register_worker('cluster', %s, %s, 1, %s)",
        [
            f"both aa_{parcels.flow}",
            f"host-of-aa_{parcels.flow}",
            [f"{parcels.flow}:tr_pack", f"aa_{parcels.flow}:tr_other"],
        ],
    )
    try:
        for path in ("/", "/live/flows/", "/workers/"):
            assert parcels.flow in carol.get(path).content.decode(), path
            assert "aa_" + parcels.flow not in carol.get(path).content.decode(), path
            assert parcels.flow not in mallory.get(path).content.decode(), path
    finally:
        parcels.connection.execute("delete from wedsql.worker where name like 'both %'")
        parcels.connection.execute("select wedsql.drop_flow(%s)", ["aa_" + parcels.flow])


def test_no_page_is_shown_without_log_in(parcels: Parcels, wid: int, site: None) -> None:
    for path in ("/", "/workers/", *PAGES):
        address = path.format(flow=parcels.flow, wid=wid)
        response = Client().get(address)
        assert response.status_code == 302 and response["Location"].startswith("/accounts/login/?next="), path
        assert Client().get(address, headers={"Accept": "application/json"}).status_code == 401, path


@pytest.mark.parametrize(
    "path",
    [
        "/flows/no_such_flow/",
        "/instances/0/",
        "/instances/99999999999999999999/",
        "/instances/" + "9" * 5000 + "/",
    ],
)
def test_what_does_not_exist_is_404_for_every_user(path: str, alice: Client) -> None:
    response = alice.get(path)
    assert response.status_code == 404 and b"There is nothing here" in response.content


def test_rights_are_groups_permission_or_staff(site: None) -> None:
    assert visible_flows(AnonymousUser()) == frozenset()
    assert visible_flows(person("a", staff=True)) is None
    assert visible_flows(person("b", permission="view_flow")) is None
    carol = person("c", "flow:orders", "flow:claims", "flowers", "xflow:hidden")
    assert visible_flows(carol) == {"orders", "claims"}
    assert may_see(carol, "orders") and not may_see(carol, "hidden") and not may_see(carol, "")
    carol.is_active = False
    assert visible_flows(carol) == frozenset()


def test_rights_end_at_once(parcels: Parcels, wid: int, site: None) -> None:
    user = person("d", f"flow:{parcels.flow}")
    client = client_of(user)
    assert client.get(f"/instances/{wid}/").status_code == 200
    user.groups.clear()
    assert client.get(f"/instances/{wid}/").status_code == 404


def test_pages_only_look(alice: Client, parcels: Parcels, wid: int) -> None:
    for path in ("/", "/workers/", "/metrics", *PAGES):
        for method in (alice.post, alice.put, alice.delete, alice.patch):
            assert method(path.format(flow=parcels.flow, wid=wid)).status_code == 405, path
