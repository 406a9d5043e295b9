"""Numbers in a definition count where they are those of the flow, and not where they are another one's."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from flows import api
from flows.tests.kit import Kit
from testkit import kernel_db

pytestmark = pytest.mark.kernel

NUMBERED = "select wedsql._definition(f, true) from wedsql.flow f where f.name = %s"
SHOP: dict[str, Any] = {
    "attributes": [{"name": "a"}, {"name": "b"}],
    "triggers": [
        {"name": "one", "transition": "tr_one", "predicate": "a = '1'"},
        {"name": "two", "transition": "tr_two", "predicate": "b = '1'"},
    ],
}


@pytest.fixture
def shop(kit: Kit) -> Kit:
    """Two attributes, and a trigger over each."""
    kit.publish(SHOP)
    return kit


@pytest.fixture
def elsewhere() -> Iterator[dict[str, Any]]:
    """The same definition in another database, with numbers that begin with 1."""
    with kernel_db.database() as uri, psycopg.connect(uri, autocommit=True) as conn:
        name = f"shop_{uuid.uuid4().hex[:12]}"
        api.flows.create(name, conn=conn)
        api.flows.publish(name, SHOP, conn=conn)
        (found,) = conn.execute(NUMBERED, [name]).fetchone() or ()
        del found["flow"]
        yield found


def identities(kit: Kit) -> list[dict[int, str]]:
    """Return which name each number has, of attributes and of triggers."""
    queries = ("select aid, aname from {f}.wed_attr", "select tgid, trname from {f}.wed_trig")
    return [dict(kit.rows(query)) for query in queries]


def exchanged(definition: dict[str, Any]) -> dict[str, Any]:
    """Return the definition with the numbers of its two attributes and triggers exchanged."""
    for part in ("attributes", "triggers"):
        one, two = definition[part]
        one["id"], two["id"] = two["id"], one["id"]
    return definition


@pytest.mark.parametrize("unnumbered", ["attributes", "triggers"])
def test_a_definition_of_another_database_is_matched_by_names(
    shop: Kit, elsewhere: dict[str, Any], unnumbered: str
) -> None:
    """One of its numbers is by chance that of another item here."""
    wid = shop.start(a="1", b="x")
    before = identities(shop)
    for part, names in zip(("attributes", "triggers"), before, strict=True):
        for item, foreign in zip(elsewhere[part], (max(names), 2_000_000), strict=True):
            item["id"] = foreign
    for item in elsewhere[unnumbered]:
        del item["id"]
    shop.publish(elsewhere)
    assert identities(shop) == before
    assert (shop.state(wid), shop.jobs(wid)) == ({"a": "1", "b": "x"}, ["tr_one"])


def test_a_definition_of_another_flow_is_matched_by_names(shop: Kit) -> None:
    before = identities(shop)
    definition = exchanged(shop.one(NUMBERED, [shop.name]))
    shop.publish(definition | {"flow": "another"})
    assert identities(shop) == before


def test_the_numbers_of_the_flow_itself_identify_renamed_items(shop: Kit) -> None:
    before = identities(shop)
    definition = shop.one(NUMBERED, [shop.name])
    definition["attributes"][0]["name"] = "c"
    definition["triggers"][0].update(name="three", transition="tr_three", predicate="c = '1'")
    shop.publish(definition)
    renamed = {"a": "c", "tr_one": "tr_three"}
    assert identities(shop) == [{n: renamed.get(name, name) for n, name in each.items()} for each in before]
