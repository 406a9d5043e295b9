"""Merging two changes of a definition: nothing of either is lost, and what contradicts is listed."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from flows.definition.merge import Conflict, merge
from testkit.cases import examples

Definition = dict[str, Any]
NAMES = st.sampled_from(["a", "b", "c", "d", "e"])
IDS = st.none() | st.integers(1, 6)
VALUES = st.none() | st.booleans() | st.integers(0, 1) | st.sampled_from(["x", "y"])


def item(extra: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda number, values: ({"id": number} if number else {}) | values,
        IDS,
        st.fixed_dictionaries({}, optional=extra),
    )


def numbered_once(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the items without numbers that another one has: the kernel gives each once."""
    seen: set[int] = set()
    return [
        {key: value for key, value in each.items() if key != "id" or not (value in seen or seen.add(value))}
        for each in items
    ]


ATTRIBUTES = st.lists(item({"name": NAMES, "type": VALUES, "label": VALUES}), max_size=5)
TRIGGERS = st.lists(
    item({"name": NAMES, "transition": NAMES, "predicate": VALUES, "final": st.booleans()}), max_size=5
)
DEFINITIONS = st.builds(
    lambda settings, attributes, triggers: (
        settings | {"attributes": numbered_once(attributes), "triggers": numbered_once(triggers)}
    ),
    st.fixed_dictionaries({}, optional={"label": VALUES, "retention": VALUES}),
    ATTRIBUTES,
    TRIGGERS,
)
many = settings(max_examples=examples(150), deadline=None)


@many
@given(DEFINITIONS, DEFINITIONS)
def test_a_change_of_one_side_is_the_result(base: Definition, changed: Definition) -> None:
    mine, theirs = merge(base, changed, base), merge(base, base, changed)
    assert (mine.definition, mine.conflicts) == (changed, ())
    assert (theirs.definition, theirs.conflicts) == (changed, ())


@many
@given(DEFINITIONS, DEFINITIONS)
def test_the_same_change_of_both_sides_is_no_conflict(base: Definition, changed: Definition) -> None:
    both = merge(base, changed, changed)
    assert (both.definition, both.conflicts) == (changed, ())


@many
@given(DEFINITIONS, DEFINITIONS, DEFINITIONS)
def test_the_sides_may_be_exchanged_where_nothing_contradicts(
    base: Definition, mine: Definition, theirs: Definition
) -> None:
    there, back = merge(base, mine, theirs), merge(base, theirs, mine)
    assert bool(there.conflicts) == bool(back.conflicts)
    if not there.conflicts:
        assert there.definition == back.definition


# A definition as the kernel writes it, and changes of it that touch different items and options.
KNOWN: Definition = {
    "label": "Orders",
    "max_firings": 1000,
    "attributes": [{"id": n, "name": f"a{n}", "type": "text"} for n in range(1, 7)],
    "triggers": [
        {"id": n, "name": f"t{n}", "transition": f"tr_{n}", "predicate": f"a{n} = '1'"} for n in range(1, 7)
    ],
}
CHANGES = ("rename", "change", "remove", "add")


def apply(definition: Definition, number: int, kind: str) -> None:
    """Change the attribute and the trigger of that number in one way."""
    for name, option, new in (("attributes", "label", "new"), ("triggers", "predicate", "a1 is null")):
        items = definition[name]
        found = next(each for each in items if each.get("id") == number)
        if kind == "rename":
            found["name"] += "_new"
        elif kind == "change":
            found[option] = new
        elif kind == "remove":
            items.remove(found)
        else:
            items.insert(
                items.index(found) + 1, {"name": f"{found['name']}_after", "transition": f"n{number}"}
            )


@many
@given(
    st.lists(st.tuples(st.integers(1, 6), st.sampled_from(CHANGES), st.booleans()), unique_by=lambda c: c[0])
)
def test_independent_changes_of_both_sides_survive(changes: list[tuple[int, str, bool]]) -> None:
    mine, theirs, both = (copy.deepcopy(KNOWN) for _ in range(3))
    for number, kind, is_mine in changes:
        apply(mine if is_mine else theirs, number, kind)
        apply(both, number, kind)
    merged = merge(KNOWN, mine, theirs)
    assert merged.conflicts == ()
    assert merged.definition == both


def changed(**options: Any) -> Definition:
    """Return the known definition with other options of its first trigger."""
    definition = copy.deepcopy(KNOWN)
    definition["triggers"][0] |= options
    return definition


def test_options_of_one_rule_are_merged_separately() -> None:
    merged = merge(KNOWN, changed(predicate="a1 = '2'"), changed(timeout="1 hour"))
    assert merged.conflicts == ()
    assert merged.definition["triggers"][0] == changed(predicate="a1 = '2'", timeout="1 hour")["triggers"][0]


def test_an_option_that_both_changed_is_a_conflict_and_mine() -> None:
    merged = merge(KNOWN, changed(predicate="mine"), changed(predicate="theirs"))
    assert merged.conflicts == (Conflict(("triggers", 0, "predicate"), "a1 = '1'", "mine", "theirs"),)
    assert merged.definition == changed(predicate="mine")


def test_true_is_not_one() -> None:
    merged = merge(changed(enabled=1), changed(enabled=True), changed(enabled=1))
    assert merged.definition["triggers"][0]["enabled"] is True


def test_what_one_side_removed_and_the_other_changed_is_kept_as_a_conflict() -> None:
    removed = copy.deepcopy(KNOWN)
    gone = removed["triggers"].pop(0)
    theirs = changed(predicate="theirs")
    merged = merge(KNOWN, removed, theirs)
    assert merged.conflicts == (Conflict(("triggers", 0), gone, None, theirs["triggers"][0]),)
    assert merged.definition == theirs


def test_a_new_rule_keeps_its_place_and_one_that_was_published_meanwhile_is_not_doubled() -> None:
    mine = copy.deepcopy(KNOWN)
    mine["triggers"].insert(2, {"name": "new", "transition": "tr_new", "predicate": "true"})
    published = copy.deepcopy(mine)
    published["triggers"][2]["id"] = 9
    mine["triggers"][2]["timeout"] = "1 hour"
    merged = merge(KNOWN, mine, published)
    assert merged.conflicts == ()
    assert merged.definition["triggers"][2] == published["triggers"][2] | {"timeout": "1 hour"}
    assert len(merged.definition["triggers"]) == 7


def test_the_order_of_the_side_that_changed_it_wins_and_two_orders_are_a_conflict() -> None:
    one, other = copy.deepcopy(KNOWN), copy.deepcopy(KNOWN)
    one["triggers"].reverse()
    assert merge(KNOWN, one, changed(timeout="1 hour")).definition["triggers"][-1]["timeout"] == "1 hour"
    other["triggers"].append(other["triggers"].pop(0))
    merged = merge(KNOWN, one, other)
    assert [conflict.path for conflict in merged.conflicts] == [("triggers",)]
    assert merged.definition == one


def test_two_attributes_that_got_one_name_are_a_conflict() -> None:
    renamed, added = copy.deepcopy(KNOWN), copy.deepcopy(KNOWN)
    renamed["attributes"][0]["name"] = "stock"
    added["attributes"].append({"name": "stock", "type": "integer"})
    merged = merge(KNOWN, renamed, added)
    assert [conflict.path for conflict in merged.conflicts] == [
        ("attributes", 0, "name"),
        ("attributes", 6, "name"),
    ]
