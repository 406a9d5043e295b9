"""Filters over the state: every operator of every type, and hostile parameters."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qs, urlencode

import pytest
from django.test import Client

from flows.queries import base
from flows.queries.counts import Count, total
from monitor.tests.conftest import Parcels, text_of
from testkit.cases import pairs


@pytest.fixture
def wids(parcels: Parcels) -> dict[str, int]:
    rows = {
        "small": {"customer": "Ana 100%", "weight": "2.5", "pieces": 1, "due": "2026-01-01", "wait": "1 day"},
        "large": {
            "customer": "Bia_O'Hara",
            "weight": "10.0",
            "pieces": 9,
            "due": "2026-03-01",
            "fragile": True,
        },
        "bare": {"extra": {"gift": {"from": "Rui"}}, "seen": "2026-01-01T10:00:00+02:00", "wait": "2 hours"},
    }
    return {name: parcels.start(**state) for name, state in rows.items()}


def shown(client: Client, flow: str, *triples: tuple[str, str, str], **more: str) -> set[int]:
    query = urlencode(
        [*more.items(), *((k, v) for t in triples for k, v in zip("a op v".split(), t, strict=True))]
    )
    response = client.get(f"/flows/{flow}/?{query}")
    assert response.status_code == 200
    return {int(wid) for wid in re.findall(r'<tr id="wid-(\d+)"', response.content.decode())}


CASES = [
    (("customer", "eq", "Ana 100%"), {"small"}),
    (("customer", "ne", "Ana 100%"), {"large", "bare"}),
    (("customer", "contains", "100%"), {"small"}),
    (("customer", "contains", "a_o'h"), {"large"}),
    (("customer", "contains", "%"), {"small"}),
    (("customer", "null", ""), {"bare"}),
    (("customer", "notnull", ""), {"small", "large"}),
    (("customer", "gt", "B"), {"large"}),
    (("weight", "lt", "10"), {"small"}),
    (("weight", "le", "10"), {"small", "large"}),
    (("weight", "gt", "9.99e0"), {"large"}),
    (("weight", "eq", "10"), {"large"}),
    (("pieces", "ge", "9"), {"large"}),
    (("pieces", "ne", "9"), {"small", "bare"}),
    (("fragile", "eq", "true"), {"large"}),
    (("fragile", "eq", "no"), {"small", "bare"}),
    (("due", "gt", "2026-02-01"), {"large"}),
    (("due", "le", "01 Jan 2026"), {"small"}),
    (("seen", "eq", "2026-01-01 08:00Z"), {"bare"}),
    (("wait", "lt", "3 hours"), {"bare"}),
    (("extra", "contains", '{"gift": {}}'), {"bare"}),
    (("extra", "eq", '{"gift": {"from": "Rui"}}'), {"bare"}),
    (("stage", "eq", "new"), {"small", "large", "bare"}),
    (("stage", "ne", "new"), set()),
    (("stage", "ne", "sent"), {"small", "large", "bare"}),
]


def test_each_operator_of_each_type(alice: Client, parcels: Parcels, wids: dict[str, int]) -> None:
    found = [(triple, shown(alice, parcels.flow, triple)) for triple, _expected in CASES]
    assert found == [(triple, {wids[name] for name in expected}) for triple, expected in CASES]


def test_filters_join_by_and_with_the_status(alice: Client, parcels: Parcels, wids: dict[str, int]) -> None:
    both = (("weight", "gt", "1"), ("pieces", "lt", "5"))
    assert shown(alice, parcels.flow, *both) == {wids["small"]}
    assert shown(alice, parcels.flow, *both, status="R") == {wids["small"]}
    assert shown(alice, parcels.flow, *both, status="F") == set()


HOSTILE = [
    "'", "''; drop schema wedsql cascade; --", "1) or (1=1", "%s", "%(x)s", "{}", "\\", "\x00", "1\x002",
    "NaN", "9" * 1000, "-" * 1000, "1e999999", "'::text", "\ud800".encode("utf-8", "replace").decode(),
    "ﷺ" * 900, "[" * 900,
    "infinity", "", " ", "\u202e2026", "2026-13-45", '{"a":', "$$", "$1", ":x", "\r\nSet-Cookie: a=b",
]  # fmt: skip
NAMES = ("customer", "weight", "pieces", "fragile", "due", "seen", "wait", "extra", "stage")


def test_hostile_values_never_break_the_page(alice: Client, parcels: Parcels) -> None:
    """In short runs each value with one of the operators."""
    parcels.start(customer="'")
    for value, operator in pairs(HOSTILE, ("eq", "lt", "contains"), 3):
        shown(alice, parcels.flow, *((name, operator, value) for name in NAMES[:-1]))


UNUSABLE = [
    (("nothing", "eq", "1"), "neither an attribute"),
    (('weight"; select 1; --', "eq", "1"), "neither an attribute"),
    (("weight", "contains", "1"), "does not suit"),
    (("weight", "<", "1"), "does not suit"),
    (("weight", "eq", "heavy"), "is no number"),
    (("weight", "eq", ""), "has no value"),
    (("customer", "eq", ""), "has no value"),
    (("stage", "eq", "shipped"), "new, packed, sent, lost"),
    (("stage", "ne", "New"), "new, packed, sent, lost"),
    (("due", "gt", "tomorrowish"), "is no date"),
    (("extra", "contains", "{"), "is no JSON"),
    (("customer", "eq", "x" * 1001), "more than 1000 characters"),
]


def test_unusable_filters_are_reported_and_no_rows_shown(alice: Client, parcels: Parcels) -> None:
    parcels.start()
    for triple, message in UNUSABLE:
        assert shown(alice, parcels.flow, triple) == set(), triple
        query = urlencode(dict(zip(("a", "op", "v"), triple, strict=True)))
        page = alice.get(f"/flows/{parcels.flow}/?{query}").content
        assert message in text_of(page) and b'role="alert"' in page, triple


STATUS_NAMES = {"R": "running", "E": "exception", "F": "final"}


def chips(page: str) -> dict[str, tuple[str, str]]:
    """Return code -> (URL, number) of each status chip."""
    found = re.findall(
        r'<a class="chip chip-(\w)" href="([^"]*)".*?(?:<b>([\d,+]+)</b>)?\s*</a>', page, re.DOTALL
    )
    return {code: (unescape(href), number) for code, href, number in found}


def test_status_chips_keep_the_filters_and_count_behind_them(
    alice: Client, parcels: Parcels, wids: dict[str, int]
) -> None:
    parcels.send(parcels.start(weight="3"))
    address = f"/flows/{parcels.flow}/"
    plain = chips(alice.get(address).content.decode())
    assert {code: number for code, (_, number) in plain.items()} == {"R": "3", "E": "0", "F": "1"}
    query = "a=weight&op=lt&v=10&a=pieces&op=ge&v=1"
    filtered = chips(alice.get(f"{address}?status=R&{query}").content.decode())
    for code in "REF":
        href, number = filtered[code]
        assert number == ""
        assert parse_qs(href[1:]) == {"q": [f"status:{STATUS_NAMES[code]} weight<10 pieces>=1"]}
    exact = chips(alice.get(f"{address}?{query}&exact=1").content.decode())
    assert {code: number for code, (_, number) in exact.items()} == {"R": "1", "E": "0", "F": "1"}
    for code, (href, number) in exact.items():
        rows = re.findall(r'<tr id="wid-', alice.get(address + href).content.decode())
        assert len(rows) == int(number), code


@pytest.mark.parametrize("status, expected", [("", "4"), ("R", "3"), ("F", "1"), ("E", "0")])
@pytest.mark.parametrize("exact", ["", "&exact=1"])
def test_the_list_says_how_many_instances_it_has(
    alice: Client, parcels: Parcels, wids: dict[str, int], status: str, expected: str, exact: str
) -> None:
    parcels.send(parcels.start(weight="3"))
    page = alice.get(f"/flows/{parcels.flow}/?status={status}{exact}").content.decode()
    found = re.search(r'<p class="count">\s*([\d,]+\+?)\s+instance', page)
    assert found and found[1] == expected


def test_a_sum_of_counts_is_capped_if_one_is() -> None:
    counts = {"R": Count(10_000, capped=True), "F": Count(3)}
    assert total(counts) == Count(10_003, capped=True)
    assert (total(counts, "F"), total(counts, "E")) == (Count(3), Count(0))


def test_a_live_page_gets_the_chips_that_it_has(alice: Client, parcels: Parcels) -> None:
    parcels.start()
    live = f"/live/flows/{parcels.flow}/?"
    assert "chips" not in alice.get(live + "a=weight&op=lt&v=10&wids=1").json()["parts"]
    fresh = alice.get(live + "status=R&wids=1,2&top=1").json()["parts"]["chips"]
    assert chips(fresh) == chips(alice.get(f"/flows/{parcels.flow}/?status=R").content.decode())


def test_a_text_without_characters_is_empty_too(alice: Client, parcels: Parcels) -> None:
    bare, blank, ana = parcels.start(), parcels.start(customer=""), parcels.start(customer="Ana")
    assert shown(alice, parcels.flow, ("customer", "null", "")) == {bare, blank}
    assert shown(alice, parcels.flow, ("customer", "notnull", "")) == {ana}


NONSENSE = (
    "before=x", "before=-5&after=9", "before=99999999999999", "after=1e3", "status=Z", "status=R'&before='",
    "a=&op=&v=", "a=weight", "op=lt", "wids=1,,x,%00,99999999999", "exact=1", "a=customer&op=eq&v=%00",
    "before=%C2%B2",
)  # fmt: skip


def test_nonsense_in_the_address_is_no_error(alice: Client, parcels: Parcels) -> None:
    """In short runs each on one of the pages."""
    parcels.start()
    flow = f"/flows/{parcels.flow}/"
    for query, path in pairs(NONSENSE, (flow, f"/live{flow}", "/"), 3):
        assert alice.get(f"{path}?{query}").status_code == 200, (path, query)


def test_nonsense_in_the_place_of_a_job_is_the_first_page(alice: Client, parcels: Parcels) -> None:
    parcels.start()
    for behind in ("x", "a~b~c", "a~1~99999999999999999999", "\x00~1~1", "~", "a~~", "a~1~²"):
        page = alice.get(f"/flows/{parcels.flow}/jobs/?{urlencode({'behind': behind, 'state': 'x'})}")
        assert page.status_code == 200 and "Pack it" in text_of(page.content), behind


def test_filters_are_links_to_be_removed_one_by_one(
    alice: Client, parcels: Parcels, wids: dict[str, int]
) -> None:
    triples = [("weight", "gt", "1"), ("pieces", "lt", "5"), ("customer", "contains", "a")]
    query = urlencode([(k, v) for t in triples for k, v in zip("a op v".split(), t, strict=True)])
    page = alice.get(f"/flows/{parcels.flow}/?{query}&before=999999").content.decode()
    links = re.findall(r'href="\?([^"]*)" title="Remove this condition"', page)
    assert len(links) == 3 and "pieces" not in links[1] and "weight" in links[1] and "customer" in links[1]
    assert all("before" not in link for link in links)


def test_at_most_eight_conditions_of_an_older_address(alice: Client, parcels: Parcels) -> None:
    triples = [("weight", "ge", "0")] * 50
    query = urlencode([(k, v) for t in triples for k, v in zip("a op v".split(), t, strict=True)])
    page = alice.get(f"/flows/{parcels.flow}/?{query}").content.decode()
    assert page.count("Remove this condition") == 8


def test_a_condition_is_added_changed_and_kept_in_the_address(
    alice: Client, parcels: Parcels, wids: dict[str, int]
) -> None:
    address = f"/flows/{parcels.flow}/"
    asked = {"q": "customer:x weight>1", "part": "0", "a": "pieces", "op": "lt", "v": "5", "sort": "id"}
    changed = alice.get(address, asked)
    assert changed.status_code == 302
    assert parse_qs(changed.headers["Location"].partition("?")[2]) == {
        "q": ["pieces<5 weight>1"],
        "sort": ["id"],
    }
    added = alice.get(address, {"q": "weight>1", "part": "new", "a": "stage", "op": "null"}, follow=True)
    assert "q=weight%3E1+no%3Astage" in added.redirect_chain[0][0]
    wrong = alice.get(address, asked | {"v": "many"})
    assert wrong.status_code == 200 and "is no whole number" in text_of(wrong.content)


def test_an_error_is_marked_at_its_place(alice: Client, parcels: Parcels) -> None:
    page = alice.get(f"/flows/{parcels.flow}/", {"q": "weight>1 due>soon"}).content.decode()
    assert "weight&gt;1 <mark>due&gt;soon</mark>" in page


def test_columns_and_order_are_chosen_by_the_address(
    alice: Client, parcels: Parcels, wids: dict[str, int]
) -> None:
    page = alice.get(f"/flows/{parcels.flow}/?columns=stage,weight,nothing&sort=id").content.decode()
    assert re.findall(r'<tr id="wid-(\d+)"', page) == [str(wid) for wid in sorted(wids.values())]
    titles = re.findall(r"<th scope=\"col\"[^>]*>([^<]+)</th>", page)
    assert titles[-2:] == ["Stage", "weight"] and "Customer" not in titles


def test_oldest_first_is_paged_like_newest_first(alice: Client, parcels: Parcels) -> None:
    started = sorted(parcels.start_many(120))
    address, seen = f"/flows/{parcels.flow}/?sort=id", []
    while address:
        page = alice.get(address).content.decode()
        seen.append([int(wid) for wid in re.findall(r'<tr id="wid-(\d+)"', page)])
        link = re.search(r'rel="next" href="([^"]*)"', page)
        address = f"/flows/{parcels.flow}/{unescape(link[1])}" if link else ""
    assert seen == [started[:50], started[50:100], started[100:]]
    back = alice.get(f"/flows/{parcels.flow}/?sort=id&before={started[100]}").content.decode()
    assert [int(wid) for wid in re.findall(r'<tr id="wid-(\d+)"', back)] == started[50:100]


def test_a_list_that_takes_too_long_is_replaced_by_a_note(
    alice: Client, parcels: Parcels, monkeypatch: pytest.MonkeyPatch, connect: object
) -> None:
    parcels.start()
    monkeypatch.setattr(base, "PAGE_TIMEOUT_MS", 150)
    with parcels.connection.transaction():
        parcels.connection.execute(f'lock table "{parcels.flow}".wed_flow in access exclusive mode')
        response = alice.get(f"/flows/{parcels.flow}/?a=customer&op=contains&v=x")
    page = text_of(response.content)
    assert response.status_code == 200 and "timed out after" in page and "Work queue" in page
