"""The business key of a flow: its indexes follow the definition."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel

ORDER = {"name": "order", "business_key": True}


def publish(kit: Kit, *attributes: dict[str, Any]) -> None:
    done = {"final": True, "predicate": "code is not null"}
    kit.publish({"attributes": [{"name": "code"}, *attributes], "triggers": [done]})


def indexes(kit: Kit) -> list[str]:
    """Return the columns' expressions that the indexes of business keys have."""
    found = kit.rows(
        "select pg_get_indexdef(i.indexrelid, 1, true) as expression from pg_index i"
        " join pg_class c on c.oid = i.indexrelid"
        " where i.indrelid = '{f}.wed_flow'::regclass and c.relname like 'key_%%' order by 1"
    )
    return [row.expression for row in found]


def test_an_attribute_of_the_business_key_has_an_index(kit: Kit) -> None:
    publish(kit, ORDER, {"name": "note"})
    assert indexes(kit) == ['lower("left"("order", 100))']

    publish(kit, {"name": "order"}, {"name": "note", "business_key": True})
    assert indexes(kit) == ['lower("left"(note, 100))']

    publish(kit, {"name": "order"}, {"name": "note"})
    assert indexes(kit) == []


def test_the_index_follows_a_new_name_and_another_type(kit: Kit) -> None:
    publish(kit, ORDER)
    publish(kit, {"name": "number", "was": "order", "business_key": True, "type": "integer"})
    assert indexes(kit) == ['lower("left"(number::text, 100))']


def test_an_index_takes_values_of_any_length(kit: Kit) -> None:
    """A row of a B-tree has at most 2,704 bytes; the index has only the beginning of a value."""
    publish(kit, ORDER, {"name": "amount", "type": "numeric", "business_key": True})
    letters = "".join(str(n) for n in range(3000))  # cannot be compressed to nothing
    wid = kit.start(code="1", order=letters, amount=10**900)
    assert kit.state(wid)["order"] == letters


@pytest.mark.parametrize("kind", ["boolean", "date", "timestamptz", "interval", "jsonb"])
def test_a_value_that_is_not_typed_as_it_is_shown_is_no_business_key(kit: Kit, kind: str) -> None:
    with refused("WD009"):
        publish(kit, {"name": "order", "type": kind, "business_key": True})

    definition = {"attributes": [{"name": "order", "type": kind, "business_key": True}], "triggers": []}
    problems = api.conditions.check_definition(kit.name, definition, conn=kit.conn)
    assert [problem.path for problem in problems] == [("attributes", 0, "business_key")]


def test_a_start_with_a_known_key_says_what_it_was_started_with(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.attr("n", kind="integer")
    kit.trig("tr_x", "a = '1'")
    kit.final("a = '2'")
    first = api.instances.start_many(kit.name, [{"a": "1", "n": 7}], keys=["k"], conn=kit.conn)[0]
    assert (first.known, first.differs) == (False, ())
    kit.run("tr_x", first.wid, b="later")
    for state, differs in (
        ({"a": "1", "n": 7}, ()), ({"a": "1"}, ()), ({"n": "7"}, ()), ({"a": "1", "b": "later"}, ("b",)),
        ({"a": "2", "n": 8}, ("a", "n")), ({"n": "x"}, ("n",)),
    ):  # fmt: skip
        again = api.instances.start_many(kit.name, [state], keys=["k"], conn=kit.conn)[0]
        assert (again.wid, again.known, again.error, again.differs) == (first.wid, True, None, differs), state
