"""The list over all flows: only what the user may see, whatever the filter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from django.test import Client

from monitor.tests.conftest import Parcels, text_of

OTHER = """
insert into wed_attr (aname, adv, type) values ('amount', '7', 'integer'), ('customer', 'Ana', 'text');
insert into wed_trig (tgname, trname, cname, cpred) values ('g', 'tr_other', 'c', $$amount > 0$$);
insert into wed_trig (cpred, cfinal) values ($$amount < 0$$, true);
"""


@pytest.fixture
def other(parcels: Parcels) -> Iterator[Parcels]:
    """A second flow, with an attribute of the same name."""
    name = f"{parcels.flow}_b"
    with parcels.connection.transaction():
        parcels.connection.execute("select wedsql.create_flow(%s)", [name])
        parcels.connection.execute(f"set local search_path = {name}, wedsql")
        parcels.connection.execute(OTHER)
    yield Parcels(name, parcels.connection)
    parcels.connection.execute("select wedsql.drop_flow(%s, true)", [name])


def shown(client: Client, query: str, **more: str) -> list[int]:
    response = client.get(f"/instances/?{urlencode({'q': query, **more})}")
    assert response.status_code == 200
    return [int(wid) for wid in re.findall(r'<tr id="wid-(\d+)"', response.content.decode())]


def test_it_has_the_instances_of_the_flows_that_the_user_sees(
    alice: Client, carol: Client, mallory: Client, parcels: Parcels, other: Parcels
) -> None:
    """Carol sees the parcels only; no condition leads to another flow, nor does a word or a negation."""
    parcel, wrong = parcels.start(customer="Ana", pieces=3), other.start()
    both = f"flow:({parcels.flow}, {other.flow})"
    filters = {
        both: ([wrong, parcel], [parcel]),
        f"{both} status:running": ([wrong, parcel], [parcel]),
        f"{both} customer:Ana": ([wrong, parcel], [parcel]),
        f"{both} not pieces:3": ([wrong], []),
        f"{both} pieces:3": ([parcel], [parcel]),
        f"{both} {wrong}": ([wrong], []),
        f"{both} (id:{wrong} or id:{parcel})": ([wrong, parcel], [parcel]),
        f"flow:{other.flow}": ([wrong], []),
        f'flow:{parcels.flow} where:"pieces = 3"': ([parcel], [parcel]),
    }
    for text, (for_alice, for_carol) in filters.items():
        assert shown(alice, text) == for_alice, text
        assert shown(carol, text) == for_carol, text
        assert shown(mallory, text) == [], text
    assert shown(alice, both, sort="id") == [parcel, wrong]


def test_what_no_flow_has_and_a_predicate_over_several_are_errors(
    carol: Client, alice: Client, parcels: Parcels, other: Parcels
) -> None:
    """An attribute of a flow that the user does not see is as unknown as one that does not exist."""
    wrong = {
        "amount:7": "No flow that you see has an attribute",
        "nothing:7": "No flow that you see has an attribute",
        f"flow:{parcels.flow} pieces:many": "is no whole number",
        "status:sleeping": "Choose one of",
        f'flow:{other.flow} where:"amount = 7"': "",
    }
    for text, message in wrong.items():
        page = carol.get("/instances/", {"q": text})
        assert page.status_code == 200 and message in text_of(page.content), text
        assert 'id="wid-' not in page.content.decode()
    both = f'flow:({parcels.flow}, {other.flow}) where:"customer is null"'
    assert "An SQL predicate needs one flow" in text_of(alice.get("/instances/", {"q": both}).content)


def test_pages_lead_through_all_flows(alice: Client, parcels: Parcels, other: Parcels) -> None:
    started = sorted([*parcels.start_many(70), *other.start_many(50)], reverse=True)
    address, seen = f"/instances/?q=flow:({parcels.flow},{other.flow})", []
    while address:
        page = alice.get(address).content.decode()
        seen += [int(wid) for wid in re.findall(r'<tr id="wid-(\d+)"', page)]
        link = re.search(r'rel="next" href="([^"]*)"', page)
        address = "/instances/" + link[1].replace("&amp;", "&") if link else ""
    assert seen == started
    exact = text_of(
        alice.get(f"/instances/?q=flow:({parcels.flow},{other.flow})+not+pieces:5&exact=1").content
    )
    assert "120 instances" in exact
    newer = alice.get(f"/live/instances/?q=flow:{other.flow}&top={started[9]}").json()
    assert newer["new"] == len([wid for wid in started[:9] if wid in other_wids(other)])


def other_wids(other: Parcels) -> set[int]:
    found = other.connection.execute("select wid from wedsql.instance where flow_id = %s", [other.flow_id])
    return {wid for (wid,) in found}
