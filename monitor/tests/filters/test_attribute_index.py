"""Filters by attributes that have an index: the list uses it, and shows the same instances as without."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from flows import api
from flows.filters import Filter, parse
from flows.filters.indexes import unindexed
from flows.queries import base, instances
from flows.queries.definitions import FlowInfo, flow_by_name
from flows.queries.paging import Cursor
from monitor.tests.conftest import Parcels, client_of, person, text_of

pytestmark = pytest.mark.usefixtures("site")

ATTRIBUTES = ("customer", "weight", "pieces", "fragile", "due", "seen", "wait", "stage")
FILTERS = {
    "customer": ["customer:c700", 'customer:("c7", c8, C9)', "customer^c777", f"customer:{'x' * 150}"],
    "weight": ["weight:700.5", "weight>=1995", "weight:(1.5, 2.5)"],
    "pieces": ["pieces:700", "pieces:700..705", "pieces<3", "pieces:(7, 8)"],
    "fragile": ["fragile:true"],
    "due": ["due:2020-02-01", "due<2020-01-03"],
    "seen": ["seen:2020-02-01", "seen<2020-01-02T01:00"],
    "wait": ["wait:700s", "wait<3s"],
    "stage": ["stage:packed"],
}
FIRST = datetime(2020, 1, 1, tzinfo=UTC)


def fill(parcels: Parcels, count: int) -> None:
    """Start instances that have another value each."""
    states = [
        {
            "customer": "x" * 150 if n == 5 else f"c{n}" if n != 9 else "C9",
            "weight": f"{n}.5",
            "pieces": n,
            "fragile": n % 1000 == 3,
            "due": (FIRST + timedelta(days=n)).date().isoformat(),
            "seen": (FIRST + timedelta(days=n)).isoformat(),
            "wait": f"{n} seconds",
            "stage": "packed" if n % 1000 == 7 else "new",
            "extra": {},
        }
        for n in range(count)
    ]
    parcels.connection.execute(
        "select count(*) from wedsql.start_many(%s, %s::jsonb[], 'shop')",
        [parcels.flow, [json.dumps(state) for state in states]],
    )
    parcels.connection.execute(f'analyze "{parcels.flow}".wed_flow, wedsql.instance')


def flow(parcels: Parcels) -> FlowInfo:
    found = flow_by_name(parcels.flow)
    assert found is not None
    return found


def listed(chosen: Filter) -> list[int]:
    return [row.wid for row in instances.listed(chosen, Cursor()).items]


def plan(chosen: Filter) -> str:
    """Return how PostgreSQL performs the query of the list."""
    found: list[Any] = []

    def explain(execute: Any, query: Any, params: Any, many: bool, context: Any) -> Any:
        text = query if isinstance(query, str) else query.as_string(connection.connection)
        execute("explain " + text, params, many, context)
        found.extend(line for (line,) in context["cursor"].fetchall())
        return execute(query, params, many, context)

    with connection.execute_wrapper(explain):
        instances.listed(chosen, Cursor())
    return "\n".join(found)


def indexed(parcels: Parcels) -> FlowInfo:
    """Give each attribute an index, and return the flow."""
    for name in ATTRIBUTES:
        api.indexes.request(parcels.flow, name, conn=parcels.connection)
    api.indexes.build(conn=parcels.connection)
    return flow(parcels)


def test_the_list_uses_the_indexes_and_shows_the_same(parcels: Parcels) -> None:
    fill(parcels, 2000)
    texts = [text for texts in FILTERS.values() for text in texts]
    without = {text: listed(parse(text, flow(parcels))) for text in texts}
    assert all(not each.indexed for each in flow(parcels).attributes)

    found = indexed(parcels)
    assert {each.name for each in found.attributes if each.indexed} == set(ATTRIBUTES)
    assert {text: listed(parse(text, found)) for text in texts} == without
    aids = "select aname, 'attr_' || aid from wedsql.attr where flow_id = %s"
    names = dict(parcels.connection.execute(aids, [found.id]).fetchall())
    pairs = [(names[name], text) for name, each in FILTERS.items() for text in each]
    assert [text for index, text in pairs if index not in plan(parse(text, found))] == []
    assert [text for text in texts if not without[text]] == []


def test_an_index_that_is_not_complete_is_not_counted_on(parcels: Parcels) -> None:
    fill(parcels, 10)
    found = indexed(parcels)
    assert "left" in repr(parse("customer:c7", found).where().sql)
    parcels.connection.execute(
        "update pg_index set indisvalid = false from wedsql.attr a where a.flow_id = %s and a.aname ="
        " 'customer' and indexrelid = to_regclass(format('%%I.%%I', %s::text, 'attr_' || a.aid))",
        [found.id, parcels.flow],
    )
    assert "left" not in repr(parse("customer:c7", flow(parcels)).where().sql)


def test_a_business_key_is_found_by_its_own_index(parcels: Parcels) -> None:
    parcels.connection.execute(
        "update wedsql.attr set business_key = true where flow_id = %s and aname = 'customer'",
        [parcels.flow_id],
    )
    fill(parcels, 2000)
    chosen = parse("customer:c700", flow(parcels))
    assert "key_" in plan(chosen) and len(listed(chosen)) == 1


def slow(browser: Client, parcels: Parcels, query: str, address: str = "/flows/{}/") -> str:
    """Return the page of a list that takes too long."""
    with parcels.connection.transaction():
        parcels.connection.execute(f'lock table "{parcels.flow}".wed_flow in access exclusive mode')
        response = browser.get(address.format(parcels.flow), {"q": query})
    assert response.status_code == 200
    return text_of(response.content)


@pytest.fixture
def dora(parcels: Parcels, site: None) -> Client:
    """Someone who designs the parcels."""
    return client_of(person("dora", f"flow:{parcels.flow}:design"))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "PAGE_TIMEOUT_MS", 1000)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("address", ["/flows/{}/", "/instances/"])
def test_a_slow_list_offers_an_index_to_who_designs_the_flow(
    dora: Client, carol: Client, parcels: Parcels, address: str
) -> None:
    parcels.start()
    query = "customer:x" if "flows" in address else f"flow:{parcels.flow} customer:x"
    page = slow(dora, parcels, query, address)
    assert "timed out after" in page and "“Customer” has no index" in page and "Create the index" in page
    page = slow(carol, parcels, query, address)
    assert "“Customer” has no index" in page and "Ask someone who designs this flow" in page
    assert "Create the index" not in page

    sent = {"attribute": "customer", "next": f"/flows/{parcels.flow}/?q=customer:x"}
    assert carol.post(f"/flows/{parcels.flow}/indexes/", sent).status_code == 403
    assert not api.indexes.of_attribute(parcels.flow, "customer", conn=parcels.connection).wanted
    answer = dora.post(f"/flows/{parcels.flow}/indexes/", sent)
    assert (answer.status_code, answer["Location"]) == (302, sent["next"])
    page = slow(dora, parcels, query, address)
    assert "It was requested by" in page and "Create the index" not in page

    api.indexes.build(conn=parcels.connection)
    assert "no index" not in slow(dora, parcels, query, address)


@pytest.mark.usefixtures("impatient")
def test_a_failed_attempt_is_shown_with_its_problem(dora: Client, parcels: Parcels) -> None:
    parcels.start()
    api.indexes.request(parcels.flow, "pieces", conn=parcels.connection)
    aid = parcels._one("select aid from wedsql.attr_index where flow_id = %s", parcels.flow_id)
    parcels._one("select wedsql.index_tried(%s, 'no space left')", aid)
    page = slow(dora, parcels, "pieces>3")
    assert "Its creation failed: no space left" in page and "Try again" in page


def test_an_index_is_offered_for_conditions_that_it_would_find(parcels: Parcels) -> None:
    found = flow(parcels)
    offered = {
        text: [attribute.name for attribute in unindexed(parse(text, found))]
        for text in (
            "customer:x", "customer^x", "pieces>1", "due:..2026-01-01", "stage:new", "pieces:1 fragile:true",
            "customer~x", "customer!=x", "customer<x", "extra:1", "no:due", "pieces:1 or pieces:2",
            "not pieces:1", "status:final",
        )
    }  # fmt: skip
    assert offered == {text: list[str]() for text in offered} | {
        "customer:x": ["customer"],
        "customer^x": ["customer"],
        "pieces>1": ["pieces"],
        "due:..2026-01-01": ["due"],
        "stage:new": ["stage"],
        "pieces:1 fragile:true": ["pieces", "fragile"],
    }
    api.indexes.request(parcels.flow, "pieces", conn=parcels.connection)
    api.indexes.build(conn=parcels.connection)
    assert list(unindexed(parse("pieces>1", flow(parcels)))) == []


def test_another_site_is_no_place_to_return_to(dora: Client, parcels: Parcels) -> None:
    sent = {"attribute": "extra", "next": "https://example.org/"}
    answer = dora.post(f"/flows/{parcels.flow}/indexes/", sent, follow=True)
    assert answer.redirect_chain == [(f"/flows/{parcels.flow}/", 302)]
    assert "cannot have an index" in text_of(answer.content)
