"""Lists of proposed repairs: filters, orders, saved views, columns, and whom each waits for."""

from __future__ import annotations

import random
import re
from itertools import count
from urllib.parse import urlencode

import pytest
from django.test import Client

from flows import api
from flows.capabilities.approvals.api import ApprovalRule
from flows.filters import parse
from flows.filters.fields import APPROVAL_STATES, PARTS
from flows.queries.base import snapshot
from flows.queries.lists import selections
from flows.queries.lists.approvals import Listing
from monitor.tests.conftest import Parcels, client_of, get, person, text_of
from testkit.cases import turn

LIST = "/cases/approvals/"


@pytest.fixture
def bea(parcels: Parcels, site: None) -> Client:
    """A clerk, who proposes repairs of the parcels."""
    return client_of(person("bea", f"flow:{parcels.flow}", permission="change_job"))


@pytest.fixture
def cleo(parcels: Parcels, site: None) -> Client:
    """An approver, who is in the group that a rule names."""
    return client_of(person("cleo", f"flow:{parcels.flow}:approve_repair", "bosses"))


@pytest.fixture
def waiting(parcels: Parcels) -> list[int]:
    """The instances of six proposals, of which two expire at the same time; the last one needs a group."""
    rules = [
        ApprovalRule(1, "Packing", attributes=("stage",), condition="stage = 'packed'"),
        ApprovalRule(1, "Heavy", attributes=("stage",), condition="weight = 9", approvers="bosses"),
    ]
    api.approvals.save_rules(parcels.flow, rules, "boss")
    wids = [parcels.start(customer=f"C-{n}", weight=n // 2 if n < 5 else 9) for n in range(6)]
    for n, wid in enumerate(wids):
        parcels.make_exception(wid)
        changes = {"changes": {"stage": "packed"}}
        maker = "dan" if n % 2 else "ann"
        api.approvals.propose(wid, "patch", changes, f"Reason {n}", actor=maker, hours=10 + n % 4)
    return wids


def number_of(wid: int) -> int:
    (found,) = [*api.approvals.list(None, wid=wid), *api.approvals.list(None, wid=wid, closed=True)]
    return found.number


def shown(client: Client, **query: str) -> list[int]:
    """Return the proposals of a list in its order."""
    page = get(client, f"{LIST}?{urlencode(query)}")
    return [int(n) for n in re.findall(r'<a class="strong"\s+href="/cases/proposals/(\d+)/">', page)]


def selected(
    parcels: Parcels, text: str, listing: Listing, after: int | None = None, size: int = 99
) -> list[int]:
    found = selections.selection("approvals", parse(text), [parcels.flow], lambda flow: flow)
    with snapshot():
        return selections.selected(listing.listed, found, after, size)


@pytest.mark.parametrize("text", ["", "weight>=0", "approval.number>0", "weight>=0 or approval.number>0"])
def test_a_filter_that_all_proposals_meet_changes_no_list(
    bea: Client, parcels: Parcels, waiting: list[int], text: str
) -> None:
    """The usual list is that of the kernel, page by page; other orders have the same proposals."""
    random.Random(text).shuffle(waiting)  # noqa: S311
    for wid in waiting[:2]:
        api.approvals.reject(number_of(wid), "boss", "No.", ["bosses"])
    waits = [one.number for one in api.approvals.list([parcels.flow])]
    decided = [one.number for one in api.approvals.list([parcels.flow], closed=True)]
    expected = {
        Listing(): waits,
        Listing(order="oldest"): sorted(waits),
        Listing(order="newest"): sorted(waits, reverse=True),
        Listing(closed=True): decided,
        Listing(closed=True, order="oldest"): sorted(decided),
    }
    assert (len(waits), len(decided)) == (4, 2)
    for listing, wanted in expected.items():
        paged: list[int] = []
        while some := selected(parcels, text, listing, paged[-1] if paged else None, 1):
            paged += some
        assert paged == wanted, listing


def test_proposals_are_found_by_what_they_and_their_instances_have(
    bea: Client, parcels: Parcels, waiting: list[int]
) -> None:
    numbers = [number_of(wid) for wid in waiting]
    for text, places in {
        "approval.maker:ann": [0, 2, 4],
        "approval.group:bosses": [5],
        "no:approval.group": [0, 1, 2, 3, 4],
        f"approval.number={numbers[3]}": [3],
        "approval.operation:patch weight:1": [2, 3],
        "customer:C-4 or approval.reason~1": [1, 4],
        f"flow:{parcels.flow} status:exception weight>=2": [4, 5],
        "approval.state!=proposed": [],
        str(waiting[2]): [2],
    }.items():
        assert shown(bea, q=text, sort="oldest") == [numbers[place] for place in places], text
        instances = get(bea, f"/flows/{parcels.flow}/?{urlencode({'q': text})}")
        found = [int(wid) for wid in re.findall(r'<tr id="wid-(\d+)"', instances)]
        assert sorted(found) == sorted(waiting[place] for place in places), text
    assert "No proposal meets the filter" in get(bea, f"{LIST}?q=weight:77")


def test_each_part_of_a_proposal_can_be_asked_for(bea: Client, parcels: Parcels, waiting: list[int]) -> None:
    """Every operator of every part is SQL that runs, over proposals and over instances."""
    values, number = {"integer": "1", "timestamptz": "today", "text": "x"}, count()
    for name, part in PARTS.items():
        for operator in part.operators if name.startswith("approval.") else ():
            value = part.choices[0] if part.choices else values[part.kind]
            text = {"has": f"has:{name}", "no": f"no:{name}", "range": f"{name}:{value}..{value}"}.get(
                operator, f"{name}{operator}{value}"
            )
            others = (f"/flows/{parcels.flow}/", "/cases/", "/instances/")
            for page in (LIST, *turn(others, next(number))):
                assert 'id="filter-error"' not in get(bea, f"{page}?{urlencode({'q': text})}"), (page, text)


def test_what_a_proposal_can_be_is_what_the_filter_knows(parcels: Parcels) -> None:
    check = parcels.connection.execute(
        "select pg_get_constraintdef(oid) from pg_constraint where conname = 'proposal_state_check'"
    ).fetchone()
    assert check and set(re.findall(r"'(\w+)'", check[0])) == set(APPROVAL_STATES)


def test_the_list_says_whom_each_waits_for_and_has_those_of_the_reader(
    bea: Client, cleo: Client, waiting: list[int]
) -> None:
    text = text_of(get(cleo, LIST))
    assert text.count("repairs for you") == 5 and "bosses for you" in text
    assert shown(cleo, show="mine") == shown(cleo) and shown(bea, show="mine") == []
    assert "Nothing waits for your approval" in get(bea, f"{LIST}?show=mine")
    api.approvals.reject(number_of(waiting[0]), "boss", "No.", ["bosses"])
    assert len(shown(cleo, show="mine")) == 5 and "for you" not in get(cleo, f"{LIST}?show=closed")


def test_columns_are_chosen_and_kept_by_a_view(bea: Client, parcels: Parcels, waiting: list[int]) -> None:
    plain = get(bea, LIST)
    assert "C-3" not in plain and ">Waiting for<" in plain
    page = get(bea, f"{LIST}?columns=instance&columns=attr.customer&columns=approval.unknown")
    assert "C-3" in page and ">Waiting for<" not in re.sub(r"<label>.*?</label>", "", page, flags=re.DOTALL)
    form = {"list": "approvals", "name": "By Ann", "q": "approval.maker:ann", "shared": "mine",
            "sort": "newest", "columns": "instance,attr.customer"}  # fmt: skip
    assert bea.post("/views/", form).status_code == 302
    page = get(bea, "/views/?list=approvals&counted=1")
    (address,) = set(re.findall(r'href="(/cases/approvals/\?[^"]*)">By Ann', page))
    listed = get(bea, address.replace("&amp;", "&"))
    assert "C-4" in listed and listed.count("/cases/proposals/") == 3
    assert re.search(r">By Ann</a></th>\s*<td.*?>\s*<a[^>]*>3<", page, re.DOTALL)


def test_nobody_finds_proposals_of_flows_that_they_may_not_see(
    bea: Client, parcels: Parcels, waiting: list[int], payments: str
) -> None:
    stranger = client_of(person("mal", f"flow:{payments}", permission="change_job"))
    for query in ("", "approval.number>0", f"flow:{parcels.flow}", "not approval.number:0", str(waiting[0])):
        assert shown(stranger, q=query) == [], query
        assert shown(stranger, q=query, show="closed") == [], query
    form = {"list": "approvals", "name": "All", "q": "approval.number>0", "shared": "mine"}
    assert stranger.post("/views/", form).status_code == 302
    page = get(stranger, "/views/?list=approvals&counted=1")
    assert re.search(r">All</a></th>\s*<td.*?>\s*<a[^>]*>0<", page, re.DOTALL), "nor their number"
    assert len(shown(bea)) == 6


@pytest.mark.parametrize("text", ["weight>", "colour:red", "approval.expires:soon", "approval.state:huge"])
def test_an_error_of_a_filter_is_shown_and_the_text_is_kept(
    bea: Client, waiting: list[int], text: str
) -> None:
    page = get(bea, f"{LIST}?{urlencode({'q': text, 'sort': 'oldest'})}")
    assert 'id="filter-error"' in page and "/cases/proposals/" not in page
    assert f'value="{text.replace(">", "&gt;")}"' in page and 'name="sort" value="oldest"' in page
