"""Lists of cases: filters, orders and saved views."""

from __future__ import annotations

import random
import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone

from flows import api
from flows.filters import parse
from flows.filters.fields import CASE_STATES, PARTS, SEVERITIES
from flows.queries import cases as queries
from flows.queries.base import snapshot
from flows.queries.cases import Listing
from monitor.tests.conftest import Parcels, client_of, get, person


@pytest.fixture
def bea(parcels: Parcels, site: None) -> Client:
    """A clerk, who sees and repairs the parcels and has no other right."""
    return client_of(person("bea", f"flow:{parcels.flow}", permission="change_job"))


@pytest.fixture
def lost(parcels: Parcels) -> list[int]:
    """The instances of six exceptions, of which two are of equal weight."""
    wids = [parcels.start(customer=f"C-{n}", weight=n // 2) for n in range(6)]
    for wid in wids:
        parcels.make_exception(wid)
    return wids


def number_of(wid: int) -> int:
    return api.cases.list(None, {"wid": wid})[0].number


def shown(client: Client, **query: str) -> list[int]:
    """Return the instances of a list of cases in its order."""
    page = get(client, f"/cases/?{urlencode(query)}")
    return [int(wid) for wid in re.findall(r'<a class="strong" href="/instances/(\d+)/repair/">', page)]


def selected(
    parcels: Parcels, text: str, listing: Listing, after: int | None = None, size: int = 99
) -> list[int]:
    found = queries.selection(parse(text), [parcels.flow], lambda flow: flow)
    with snapshot():
        return queries.selected(listing, found, after, size)


@pytest.mark.parametrize("text", ["", "weight>=0", "case.number>0", "weight>=0 or case.number>0"])
def test_a_filter_that_all_cases_meet_changes_no_list(
    bea: Client, parcels: Parcels, lost: list[int], text: str
) -> None:
    """The lists of a filter are those of the kernel, page by page; other orders have the same cases."""
    chance = random.Random(text)  # noqa: S311
    for wid in lost:
        due = timezone.now() + timedelta(hours=chance.randrange(3))
        changes = {
            "priority": chance.randrange(3),
            **({"due_at": due.isoformat()} if chance.random() > 0.4 else {}),
        }
        api.cases.change(number_of(wid), changes, "ann")
    whole = api.cases.list([parcels.flow])
    numbers = [one.number for one in whole]
    never = timezone.now() + timedelta(days=999)
    expected = {
        "urgency": numbers,
        "oldest": sorted(numbers),
        "newest": sorted(numbers, reverse=True),
        "due": [one.number for one in sorted(whole, key=lambda one: (one.due_at or never, one.number))],
    }
    assert set(expected) == set(queries.ORDERS) and len(numbers) == 6
    for order, wanted in expected.items():
        paged: list[int] = []
        while some := selected(parcels, text, Listing(order=order), paged[-1] if paged else None, 2):
            paged += some
        assert paged == wanted, order


@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_closed_cases_are_filtered_and_sorted(
    bea: Client, parcels: Parcels, lost: list[int], order: str
) -> None:
    numbers = [number_of(wid) for wid in lost]
    for wid in lost[:4]:
        api.instances.cancel(wid, "x", actor="ann")
    listing = Listing(True, order)
    wanted = sorted(numbers[:4], reverse=order == "newest")
    for text in ("", "weight<9", "case.closed:today"):
        assert selected(parcels, text, listing) == wanted
        assert selected(parcels, text, listing, wanted[1], 1) == wanted[2:3]
    assert selected(parcels, "weight:1", listing) == [one for one in wanted if one in numbers[2:4]]
    page = get(bea, f"/cases/?{urlencode({'show': 'closed', 'q': 'weight:1', 'sort': order})}")
    assert f"/instances/{lost[2]}/" in page and f"/instances/{lost[4]}/" not in page


def test_cases_are_found_by_what_they_and_their_instances_have(
    bea: Client, parcels: Parcels, lost: list[int]
) -> None:
    first, second = number_of(lost[0]), number_of(lost[1])
    api.cases.change(first, {"queue": "cards", "severity": "high", "priority": 90}, "ann")
    api.cases.claim(second, "cleo", 30)
    for text, found in {
        "case.severity:(high, critical)": lost[:1],
        "case.queue:cards": lost[:1],
        "case.queue~CARD weight:0": lost[:1],
        "case.queue!=cards case.priority<90": lost[1:],
        "case.holder:cleo": lost[1:2],
        "has:case.holder": lost[1:2],
        "case.state:claimed": lost[1:2],
        "case.state!=claimed case.number>1": [lost[0], *lost[2:]],
        "case.cause:STUCK weight>1": lost[4:],
        "status:exception stage:lost customer:C-3": lost[3:4],
        f"case.number={second} or weight=2": [lost[1], *lost[4:]],
        "case.due<now": [],
        "no:case.due case.opened:today weight:1": lost[2:4],
        f'flow:{parcels.flow} where:"weight % 2 = 1"': lost[2:4],
        "did:tr_pack weight:2": lost[4:],
        str(lost[3]): lost[3:4],
    }.items():
        assert shown(bea, q=text, sort="oldest") == found, text
        instances = get(bea, f"/flows/{parcels.flow}/?{urlencode({'q': text})}")
        assert set(re.findall(r'<tr id="wid-(\d+)"', instances)) == set(map(str, found)), text
    assert shown(bea, q="weight:1", queue="cards") == []
    assert shown(bea, q="weight:0", queue="cards") == lost[:1]
    assert shown(bea, q="weight:0", cause="STUCK", sort="newest") == [lost[1], lost[0]]
    assert "No case meets the filter" in get(bea, "/cases/?q=weight:77")


def test_each_part_of_a_case_can_be_asked_for(bea: Client, parcels: Parcels, lost: list[int]) -> None:
    """Every operator of every part is SQL that runs, over cases and over instances."""
    values = {"integer": "1", "timestamptz": "today", "text": "x"}
    for name, part in PARTS.items():
        for operator in part.operators if name.startswith("case.") else ():
            value = part.choices[0] if part.choices else values[part.kind]
            text = {"has": f"has:{name}", "no": f"no:{name}", "range": f"{name}:{value}..{value}"}.get(
                operator, f"{name}{operator}{value}"
            )
            selected(parcels, text, Listing())
            assert bea.get(f"/flows/{parcels.flow}/?{urlencode({'q': text})}").status_code == 200
            assert 'id="filter-error"' not in get(bea, f"/cases/?{urlencode({'q': text})}"), text


def test_what_a_case_can_be_is_what_the_filter_knows() -> None:
    from flows.capabilities.cases.api import CLOSED_STATES, OPEN_STATES
    from flows.capabilities.cases.api import SEVERITIES as KNOWN

    assert (*OPEN_STATES, *CLOSED_STATES) == CASE_STATES and KNOWN == SEVERITIES


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("weight>", ""), ("colour:red", "colour:red"), ("case.due:soon", "case.due:soon"),
        ("stage:lost (", ""), ("case.severity:huge", "case.severity:huge"),
        ("case.colour:x", "case.colour:x"),
        ("case.priority~5", "case.priority~5"), ("weight:heavy", "weight:heavy"),
    ],
)  # fmt: skip
def test_an_error_of_a_filter_is_shown_at_its_place_and_the_text_is_kept(
    bea: Client, parcels: Parcels, lost: list[int], text: str, marked: str
) -> None:
    for tab in ("open", "mine", "closed"):
        page = get(bea, f"/cases/?{urlencode({'show': tab, 'q': f'customer:C-1 {text}', 'sort': 'due'})}")
        assert 'id="filter-error"' in page and "/repair/" not in page
        found = re.search(r"<mark>(.*?)</mark>", page)
        assert (found[1] if found else "") == marked, "what is missing at the end has no place"
        assert f'value="customer:C-1 {text.replace(">", "&gt;")}"' in page
        assert 'name="sort" value="due"' in page


def test_a_condition_is_added_by_the_form_and_keeps_the_list(
    bea: Client, parcels: Parcels, lost: list[int]
) -> None:
    added = {"show": "open", "sort": "due", "flow": parcels.flow, "q": "weight:1"}
    added |= {"a": "case.state", "op": "eq", "v": "new", "part": "new"}
    answer = bea.get(f"/cases/?{urlencode(added)}")
    assert answer.status_code == 302
    for kept in ("weight%3A1+case.state%3Anew", "sort=due", "show=open", f"flow={parcels.flow}"):
        assert kept in answer["Location"], kept
    page = get(bea, answer["Location"])
    assert "State of the case" in page and len(re.findall(r'class="strong" href="/instances', page)) == 2
    assert "By cause" not in page and "next_case" not in page


def test_nobody_finds_cases_or_values_that_they_may_not_see(
    bea: Client, parcels: Parcels, lost: list[int], payments: str
) -> None:
    stranger = client_of(person("mal", f"flow:{payments}", permission="change_job"))
    for query in (
        "",
        "weight:1",
        "case.state:new",
        f"flow:{parcels.flow}",
        f"case.number={number_of(lost[0])}",
    ):
        for flow in ("", parcels.flow):
            assert shown(stranger, q=query, flow=flow, sort="newest") == []
    page = get(stranger, f"/cases/?{urlencode({'q': 'card:4711', 'flow': payments})}")
    assert "No flow that you see has an attribute “card”" in page
    predicate = {"q": 'where:"card is null"', "flow": payments}
    page = get(stranger, f"/cases/?{urlencode(predicate)}")
    assert 'id="filter-error"' in page


def test_views_of_cases_are_saved_counted_and_apart_from_others(
    bea: Client, parcels: Parcels, lost: list[int]
) -> None:
    given = {"list": "cases", "name": "Heavy", "q": "weight>1", "sort": "newest", "shared": "mine"}
    assert "Views of lists of cases" in get(bea, f"/views/?{urlencode({**given, 'shared': ''})}")
    answer = bea.post("/views/", given)
    assert answer.status_code == 302 and answer["Location"] == "/views/?list=cases"
    views = get(bea, "/views/?list=cases&counted=1")
    assert "Heavy" in views and re.search(r">2</a>", views)
    assert "Heavy" not in get(bea, "/views/") and "Heavy" not in get(bea, "/views/?list=tasks")
    [(href, _)] = re.findall(r'href="(\?q=[^"]*)">(Heavy)<', get(bea, "/cases/"))
    address = href.replace("&amp;", "&")
    page = get(bea, f"/cases/{address}")
    assert [int(wid) for wid in re.findall(r'"strong" href="/instances/(\d+)/repair/', page)] == [
        lost[5],
        lost[4],
    ]
    wrong: Any = bea.post("/views/", {**given, "q": "case.due:soon", "name": "Odd"})
    assert wrong.status_code == 200 and "case.due:soon" in wrong.content.decode()
