"""The search finds instances by the exact value of an attribute, among the newest of each visible flow."""

from __future__ import annotations

import html
import json
import re
from urllib.parse import unquote_plus

import pytest
from django.test import Client

from flows import api
from flows.queries import values
from flows.tests.pages import unique
from monitor.tests.conftest import Parcels, client_of, get, person, text_of

GROUP = "Instances with this value"


def found(client: Client, wanted: str) -> tuple[list[tuple[str, str]], str]:
    """Return title and address of each result by a value, and what was searched."""
    response = client.get("/search/results/", {"q": wanted})
    assert response.status_code == 200
    answer = json.loads(response.content)
    results = [each for group in answer["groups"] if group["title"] == GROUP for each in group["results"]]
    return [(each["title"], each["address"]) for each in results], answer["note"]


@pytest.mark.parametrize(
    ("wanted", "query"),
    [
        ("São Paulo", 'customer:"São Paulo"'),
        ("12.50", "weight:12.50"),
        ("17", "pieces:17"),
        ("2026-11-20", "due:2026-11-20"),
        ("packed", "stage:packed"),
    ],
)
def test_an_instance_is_found_by_a_value(carol: Client, parcels: Parcels, wanted: str, query: str) -> None:
    packed = {"stage": "packed", "extra": {"label": 1}}
    wid = parcels.start(customer="São Paulo", weight=12.5, pieces=17, due="2026-11-20", **packed)
    other = parcels.start(customer="São Paulo II", weight=12, pieces=1, due="2026-11-21")
    results, note = found(carol, wanted)
    [(title, address), (listed, everywhere)] = results
    assert (title, address, listed) == (f"Instance {wid}", f"/instances/{wid}/", query)
    assert unquote_plus(everywhere) == f"/instances/?q={query}"
    page = get(carol, everywhere)
    assert f'id="wid-{wid}"' in page and f'id="wid-{other}"' not in page
    assert note == "Values were searched in the newest 1,000 instances of each flow."
    assert note in text_of(get(carol, f"/search/?q={wanted}"))


@pytest.mark.parametrize("wanted", ["São", "Sao Paulo", "true", "S", "1"])
def test_what_is_not_exactly_a_value_is_not_found(carol: Client, parcels: Parcels, wanted: str) -> None:
    parcels.start(customer="São Paulo", pieces=1, fragile=True)
    assert found(carol, wanted)[0] == []


def test_flows_that_the_user_does_not_see_are_not_searched(
    carol: Client, mallory: Client, parcels: Parcels
) -> None:
    parcels.start(customer="São Paulo")
    assert found(carol, "São Paulo")[0]
    assert found(mallory, "São Paulo")[0] == []


def test_only_the_newest_are_searched_and_the_page_says_so(
    carol: Client, parcels: Parcels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "NEWEST", 2)
    first, *_others = [parcels.start(customer=name) for name in ("Ana", "Bia", "Ana")]
    results, note = found(carol, "Ana")
    assert [title for title, _address in results] == [f"Instance {parcels.wids[2]}", "customer:Ana"]
    assert note == "Values were searched in the newest 2 instances of each flow."
    assert f'id="wid-{first}"' in get(carol, results[-1][1])


def test_of_many_flows_only_the_first_are_searched(
    carol: Client, parcels: Parcels, monkeypatch: pytest.MonkeyPatch
) -> None:
    parcels.start(customer="Ana")
    monkeypatch.setattr(values, "MOST_FLOWS", 0)
    results, note = found(carol, "Ana")
    assert results == [] and "of each of the first 0 flows" in note


def test_a_search_that_takes_too_long_is_stopped_and_the_page_says_so(
    carol: Client, parcels: Parcels
) -> None:
    wid = parcels.start(customer="Ana")
    with parcels.connection.transaction():  # the table cannot be read until then
        parcels.connection.execute(f"lock table {parcels.flow}.wed_flow in access exclusive mode")
        stopped = "The search for instances with this value took too long and was stopped."
        assert found(carol, "Ana") == ([], stopped)
        assert f"Instance {wid}" in text_of(get(carol, f"/search/?q={wid}"))
    assert found(carol, "Ana")[0]


@pytest.mark.parametrize(
    "wanted",
    [
        "'; drop table wedsql.instance; --", '"', '""', "\\", "%s", "%(x)s", "%%", "{}", "{0}", "(", "):",
        "--", "9" * 100, "-" + "9" * 99, "1e999", "1e1001", "NaN", "infinity", "-0", "2026-13-01",
        "0001-01-01", "9999-12-31", "yesterday", "-2h", "null", "\x00\x00", "🦄🦄", "\u202e" * 9, "attr.x:1",
        'where:"1/0=1"',
    ],
)  # fmt: skip
def test_any_value_is_answered(carol: Client, parcels: Parcels, wanted: str) -> None:
    wid = parcels.start(customer=wanted.replace("\x00", "zero"), pieces=1)
    assert carol.get("/search/", {"q": wanted}).status_code == 200
    results, _note = found(carol, wanted)
    if len(wanted.replace("\x00", "")) > 1:
        assert (f"Instance {wid}", f"/instances/{wid}/") in results


SHOWN = "Hugo Ésteves"
WRITTEN = (
    "Hugo Ésteves", "Hugo  Ésteves", "hugo ésteves", " Hugo\nÉsteves ", "Hugo E\u0301steves",
    "Hugo\u00a0Ésteves",
)  # fmt: skip


@pytest.mark.parametrize("is_key", [True, False], ids=["of a key", "of a value"])
def test_what_is_on_the_screen_is_found_however_it_is_written(site: None, is_key: bool) -> None:
    name = unique("s")
    flow = {
        "attributes": [{"name": "customer", "business_key": is_key}],
        "triggers": [{"transition": "tr_x", "predicate": "customer is not null"}],
    }
    api.flows.create(name)
    api.flows.publish(name, flow)
    try:
        wids = [api.instances.start(name, {"customer": each}) for each in WRITTEN]
        api.instances.start(name, {"customer": "Hugo Estrada"})
        client = client_of(person("sam", f"flow:{name}"))
        for typed in (SHOWN, "Hugo E\u0301steves", "  HUGO   ésteves "):
            found = client.get("/search/results/", {"q": typed}).json()
            addresses = [each["address"] for group in found["groups"] for each in group["results"]]
            assert {f"/instances/{wid}/" for wid in wids} <= set(addresses), typed
    finally:
        api.flows.drop(name, force=True)


@pytest.mark.parametrize("is_key", [True, False], ids=["of a key", "of a value"])
def test_how_many_were_found_is_said_newest_first_with_a_list_of_all(site: None, is_key: bool) -> None:
    name = unique("s")
    flow = {
        "attributes": [{"name": "customer", "business_key": is_key}],
        "triggers": [{"transition": "tr_x", "predicate": "customer is not null"}],
    }
    api.flows.create(name)
    api.flows.publish(name, flow)
    try:
        wids = [api.instances.start(name, {"customer": "Hugo"}) for _ in range(9)]
        client = client_of(person("sam", f"flow:{name}"))
        page = get(client, "/search/?q=Hugo")
        assert "6 of 9" in text_of(page)
        listed = re.findall(r'href="/instances/(\d+)/"', page)
        assert [int(wid) for wid in listed] == wids[:2:-1], "the newest first"
        (every,) = [html.unescape(each) for each in re.findall(r'href="(/instances/\?q=[^"]*)"', page)]
        shown = get(client, every)
        assert all(f"/instances/{wid}/" in shown for wid in wids)
    finally:
        api.flows.drop(name, force=True)
