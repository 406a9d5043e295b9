"""A definition is published as a whole: what counts is what results, not the steps that lead there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, broken, refused

pytestmark = pytest.mark.kernel

Definition = dict[str, Any]


def numbered(kit: Kit) -> Definition:
    """Return the definition with the numbers of its attributes and triggers, as a draft has it."""
    return kit.one("select wedsql._definition(f, true) from wedsql.flow f where f.id = %s", [kit.id])


def named(items: list[Any], key: str, name: str) -> Any:
    """Return the only item with that value."""
    (found,) = [item for item in items if item.get(key) == name]
    return found


def publish(kit: Kit, definition: Definition) -> None:
    """Publish what has no problems, and assert that nothing is broken by it."""
    assert api.conditions.check_definition(kit.name, definition, conn=kit.conn) == []
    kit.publish(definition)
    assert broken(kit) == []


@pytest.fixture
def shop(kit: Kit) -> Kit:
    """Two attributes, each read by one trigger, and an instance with a job of the first."""
    kit.attrs("a", "n", "unused")
    kit.trig("tr_one", "a = '1'", tgname="one")
    kit.trig("tr_two", "n ~ '^2'", tgname="two")
    kit.final("a = 'end'")
    return kit


def typed(definition: Definition) -> None:
    named(definition["attributes"], "name", "n")["type"] = "integer"
    named(definition["triggers"], "name", "two")["predicate"] = "n + 0 > 1"


def renamed(definition: Definition) -> None:
    named(definition["attributes"], "name", "n")["name"] = "number"
    named(definition["triggers"], "name", "two")["predicate"] = "number in ('2', '3')"


def renamed_and_typed(definition: Definition) -> None:
    named(definition["attributes"], "name", "n").update(name="number", type="integer")
    named(definition["triggers"], "name", "two").update(predicate="number = 1 + 1", writes=["number"])


def renamed_for_another(definition: Definition) -> None:
    """The name of a removed attribute is that of another one now, and its last reader reads that one."""
    removed = named(definition["attributes"], "name", "unused")
    definition["attributes"].remove(removed)
    named(definition["attributes"], "name", "n")["name"] = "unused"
    named(definition["triggers"], "name", "two")["predicate"] = "unused = '2'"


def removed_with_its_reader(definition: Definition) -> None:
    definition["attributes"].remove(named(definition["attributes"], "name", "n"))
    definition["triggers"].remove(named(definition["triggers"], "name", "two"))


def removed_and_no_longer_read(definition: Definition) -> None:
    definition["attributes"].remove(named(definition["attributes"], "name", "n"))
    named(definition["triggers"], "name", "two")["predicate"] = "a = '2'"


def swapped(definition: Definition) -> None:
    first, second = definition["attributes"][:2]
    first["name"], second["name"] = second["name"], first["name"]
    second["type"] = "integer"
    named(definition["triggers"], "name", "one")["predicate"] = "n = '1'"
    named(definition["triggers"], "name", "two")["predicate"] = "a > 1"
    named(definition["triggers"], "final", True)["predicate"] = "n = 'end'"


def swapped_only(definition: Definition) -> None:
    """Each condition keeps its text and reads the other attribute."""
    first, second = definition["attributes"][:2]
    first["name"], second["name"] = second["name"], first["name"]


CHANGES: dict[str, tuple[Callable[[Definition], None], Definition, list[str]]] = {
    "typed": (typed, {"a": "1", "n": 2, "unused": None}, ["tr_one", "tr_two"]),
    "renamed": (renamed, {"a": "1", "number": "2", "unused": None}, ["tr_one", "tr_two"]),
    "renamed and typed": (
        renamed_and_typed,
        {"a": "1", "number": 2, "unused": None},
        ["tr_one", "tr_two"],
    ),
    "renamed for another": (renamed_for_another, {"a": "1", "unused": "2"}, ["tr_one", "tr_two"]),
    "removed with its reader": (removed_with_its_reader, {"a": "1", "unused": None}, ["tr_one"]),
    "removed and no longer read": (
        removed_and_no_longer_read,
        {"a": "1", "unused": None},
        ["tr_one", "tr_two"],
    ),
    "swapped": (swapped, {"n": "1", "a": 2, "unused": None}, ["tr_one", "tr_two"]),
    "swapped only": (swapped_only, {"n": "1", "a": "2", "unused": None}, ["tr_one", "tr_two"]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_attributes_and_conditions_change_at_once(shop: Kit, change: str) -> None:
    edit, state, jobs = CHANGES[change]
    wid = shop.start(a="1", n="2")
    definition = numbered(shop)
    edit(definition)
    publish(shop, definition)
    assert shop.state(wid) == state and shop.jobs(wid) == jobs


@pytest.mark.parametrize("change", CHANGES)
def test_what_follows_is_what_was_foretold(shop: Kit, change: str) -> None:
    shop.start(a="1", n="2")
    shop.start(a="1")
    definition = numbered(shop)
    CHANGES[change][0](definition)
    found = api.trials.impact(shop.name, definition, conn=shop.conn)
    assert api.trials.deviations(found, api.flows.publish(shop.name, definition, conn=shop.conn)) == {}


@pytest.mark.parametrize("change", CHANGES)
def test_one_version_and_one_match_with_immediate_constraints(shop: Kit, change: str) -> None:
    """Each statement of the publication would be a version of its own, matched by half a definition."""
    edit, state, jobs = CHANGES[change]
    wid = shop.start(a="1", n="2")
    definition = numbered(shop)
    edit(definition)
    versions = shop.one("select count(*) from wedsql.flow_version where flow_id = %s", [shop.id])
    with shop.conn.transaction():
        shop.rows("set constraints all immediate")
        shop.publish(definition)
    assert (shop.state(wid), shop.jobs(wid), broken(shop)) == (state, jobs, [])
    assert shop.one("select count(*) from wedsql.flow_version where flow_id = %s", [shop.id]) == versions + 1


def test_values_that_cannot_be_converted_are_refused_with_their_instance(shop: Kit) -> None:
    shop.start(a="1", n="2")
    wrong = [shop.start(a="1", n=value) for value in ("many", "more")]
    shop.start(a="1", n="3")
    before = numbered(shop)
    definition = numbered(shop)
    typed(definition)
    (problem,) = api.conditions.check_definition(shop.name, definition, conn=shop.conn)
    with refused("WD003") as why:
        shop.publish(definition)
    assert problem.code == "WD003" and problem.message == why.message and str(wrong[0]) in why.message
    assert (why.facts["attribute"], why.facts["instance"]) == ("n", wrong[0])
    assert shop.state(wrong[0])["n"] == "many" and numbered(shop) == before


def test_a_condition_that_does_not_fit_is_refused_as_a_whole(shop: Kit) -> None:
    wid = shop.start(a="1", n="2")
    before = numbered(shop)
    definition = numbered(shop)
    typed(definition)
    named(definition["triggers"], "name", "two")["predicate"] = "n = 'two'"
    with refused("WD006"):
        shop.publish(definition)
    definition = numbered(shop)
    removed_with_its_reader(definition)
    named(definition["triggers"], "name", "one")["writes"] = ["n"]
    with refused("WD007") as why:
        shop.publish(definition)
    assert why.facts["places"] == ["one.writes"]
    assert numbered(shop) == before
    assert shop.run("tr_one", wid, a="x").status == "R"


def test_an_unchanged_condition_over_an_attribute_of_another_type_is_read_again(shop: Kit) -> None:
    definition = numbered(shop)
    named(definition["attributes"], "name", "n").update(type="enum", options=["2", "20", "3"])
    publish(shop, definition)
    assert shop.jobs(shop.start(n="20")) == ["tr_two"]
    named(definition["attributes"], "name", "n").update(type="integer", options=None)
    assert [p.code for p in api.conditions.check_definition(shop.name, definition, conn=shop.conn)] == [
        "WD006"
    ]
    with refused("WD006"):
        shop.publish(definition)


def test_a_due_time_that_does_not_fit_is_refused_as_a_whole(shop: Kit) -> None:
    """The trigger itself is unchanged: what it names has another type."""
    definition = numbered(shop)
    named(definition["attributes"], "name", "unused")["type"] = "timestamptz"
    named(definition["triggers"], "name", "one")["due_attr"] = "unused"
    publish(shop, definition)
    before = numbered(shop)
    definition = numbered(shop)
    named(definition["attributes"], "name", "unused")["type"] = "integer"
    with refused("WD009"):
        shop.publish(definition)
    assert numbered(shop) == before


@pytest.mark.parametrize("other", ["text", "integer"])
def test_an_unchanged_condition_reads_the_attribute_that_gets_the_name_of_a_removed_one(
    shop: Kit, other: str
) -> None:
    """It is read again, though nothing about that attribute changes but its name."""
    shop.rows("update {f}.wed_attr set type = %s where aname = 'unused'", [other])
    wid = shop.start(a="1")
    definition = numbered(shop)
    definition["attributes"].remove(named(definition["attributes"], "name", "n"))
    named(definition["attributes"], "name", "unused")["name"] = "n"
    if other == "integer":  # the condition compares a text
        with refused("WD006"):
            shop.publish(definition)
        return
    publish(shop, definition)
    assert shop.state(wid) == {"a": "1", "n": None}
    assert shop.run("tr_one", wid, a="x", n="2x").fired == ["tr_two"]


def test_a_condition_need_not_follow_a_rename_where_the_definition_has_another(shop: Kit) -> None:
    """The old condition reads both attributes; one is removed, and the other gets its name."""
    shop.rows("update {f}.wed_trig set cpred = 'n = unused' where tgname = 'two'")
    wid = shop.start(a="1", n="2")
    definition = numbered(shop)
    definition["attributes"].remove(named(definition["attributes"], "name", "unused"))
    named(definition["attributes"], "name", "n")["name"] = "unused"
    named(definition["triggers"], "name", "two")["predicate"] = "unused = '2'"
    publish(shop, definition)
    assert shop.state(wid) == {"a": "1", "unused": "2"} and shop.jobs(wid) == ["tr_one", "tr_two"]


def moved(definition: Definition) -> None:
    """The second trigger ends instances, and the one that did fires a transition."""
    two, final = (named(definition["triggers"], k, v) for k, v in (("name", "two"), ("final", True)))
    two.update(final=True)
    del two["transition"]
    final.update(final=False, transition="tr_over", name="over")


def test_another_trigger_becomes_the_final_condition(shop: Kit) -> None:
    old = dict(shop.rows("select cpred, tgid from {f}.wed_trig"))
    wid = shop.start(a="1")
    definition = numbered(shop)
    moved(definition)
    publish(shop, definition)
    assert dict(shop.rows("select cpred, tgid from {f}.wed_trig")) == old
    assert shop.run("tr_one", wid, a="end").fired == ["tr_over"]
    assert shop.run("tr_over", wid, n="2").status == "F"


def test_the_final_condition_moves_and_back_with_a_due_time(shop: Kit) -> None:
    first = numbered(shop)
    definition = numbered(shop)
    moved(definition)
    named(definition["triggers"], "name", "two")["due_after"] = "01:00:00"
    publish(shop, definition)
    wid = shop.start(n="2")
    assert shop.status(wid) == "R" and shop.jobs(wid) == []
    publish(shop, first)
    assert shop.jobs(wid) == ["tr_two"]
    assert shop.start(a="end") and shop.status(shop.start(a="end")) == "F"


def test_two_triggers_exchange_their_names_and_transitions(shop: Kit) -> None:
    wid = shop.start(a="1")
    definition = numbered(shop)
    one, two = (named(definition["triggers"], "name", name) for name in ("one", "two"))
    for key in ("name", "transition"):
        one[key], two[key] = two[key], one[key]
    publish(shop, definition)
    assert shop.jobs(wid) == ["tr_two"]
    assert shop.rows("select tgname, trname, cpred from {f}.wed_trig where not cfinal order by tgid") == [
        ("two", "tr_two", "a = '1'"),
        ("one", "tr_one", "n ~ '^2'"),
    ]
