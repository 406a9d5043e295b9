"""Filters over the state: every operator of every type, and hostile parameters."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qs, urlencode

import pytest
from django.test import Client

from flows.queries import base, filters
from flows.queries.filters import Filter
from monitor.tests.conftest import Parcels, text_of


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
    parcels.start(customer="'")
    for value in HOSTILE:
        for operator in ("eq", "lt", "contains"):
            shown(alice, parcels.flow, *((name, operator, value) for name in NAMES[:-1]))


UNUSABLE = [
    (("nothing", "eq", "1"), "no attribute of that name"),
    (('weight"; select 1; --', "eq", "1"), "no attribute of that name"),
    (("wid", "eq", "1"), "no attribute of that name"),
    (("weight", "contains", "1"), "does not suit"),
    (("weight", "<", "1"), "does not suit"),
    (("weight", "eq", "heavy"), "does not fit"),
    (("weight", "eq", ""), "A value is missing"),
    (("customer", "eq", ""), "A value is missing"),
    (("stage", "eq", ""), "A value is missing"),
    (("stage", "eq", "shipped"), "Its options are: new, packed, sent, lost."),
    (("stage", "ne", "New"), "Its options are: new, packed, sent, lost."),
    (("due", "gt", "tomorrowish"), "does not fit"),
    (("extra", "contains", "{"), "does not fit"),
    (("customer", "eq", "x" * 1001), "too long"),
    (("customer", "eq", "\x00"), "does not fit"),
]


def test_unusable_filters_are_reported_and_left_out(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    for triple, message in UNUSABLE:
        assert shown(alice, parcels.flow, triple) == {wid}, triple
        query = urlencode(dict(zip(("a", "op", "v"), triple, strict=True)))
        page = alice.get(f"/flows/{parcels.flow}/?{query}").content
        assert message in text_of(page) and b'role="alert"' in page, triple


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
        assert parse_qs(href[1:]) == {"status": [code], **parse_qs(query)} and number == ""
    exact = chips(alice.get(f"{address}?{query}&exact=1").content.decode())
    assert {code: number for code, (_, number) in exact.items()} == {"R": "1", "E": "0", "F": "1"}
    for code, (href, number) in exact.items():
        rows = re.findall(r'<tr id="wid-', alice.get(address + href).content.decode())
        assert len(rows) == int(number), code


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
    parcels.start()
    for query in NONSENSE:
        for path in (f"/flows/{parcels.flow}/", f"/live/flows/{parcels.flow}/", "/"):
            assert alice.get(f"{path}?{query}").status_code == 200, (path, query)


def test_nonsense_in_the_place_of_a_job_is_the_first_page(alice: Client, parcels: Parcels) -> None:
    parcels.start()
    for behind in ("x", "a~b~c", "a~1~99999999999999999999", "\x00~1~1", "~", "a~~", "a~1~²"):
        page = alice.get(f"/flows/{parcels.flow}/jobs/?{urlencode({'behind': behind, 'state': 'x'})}")
        assert page.status_code == 200 and "tr_pack" in text_of(page.content), behind


def test_filters_are_links_to_be_removed_one_by_one(
    alice: Client, parcels: Parcels, wids: dict[str, int]
) -> None:
    triples = [("weight", "gt", "1"), ("pieces", "lt", "5"), ("customer", "contains", "a")]
    query = urlencode([(k, v) for t in triples for k, v in zip("a op v".split(), t, strict=True)])
    page = alice.get(f"/flows/{parcels.flow}/?{query}&before=999999").content.decode()
    links = re.findall(r'href="\?([^"]*)" title="Remove this filter"', page)
    assert len(links) == 3 and "pieces" not in links[1] and "weight" in links[1] and "customer" in links[1]
    assert all("before" not in link for link in links)


def test_at_most_eight_filters(parcels: Parcels) -> None:
    assert len(filters.parse(["weight"] * 50, ["eq"] * 50, ["1"] * 50)) == filters.MAX_FILTERS


def test_only_checked_filters_become_sql(parcels: Parcels, site: None) -> None:
    from flows.queries.definitions import flow_by_name

    flow = flow_by_name(parcels.flow)
    assert flow is not None
    with pytest.raises(AssertionError):
        filters.condition(flow, Filter("weight", "eq", "x", error="wrong_value"))
    with pytest.raises(AssertionError):
        filters.condition(flow, Filter("weight; drop", "eq", "1"))


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
