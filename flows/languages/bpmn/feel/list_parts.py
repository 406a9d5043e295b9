"""The functions of FEEL that make one list of another (DMN 1.5, 10.3.4.4)."""

from __future__ import annotations

from collections.abc import Callable

from flows.languages.bpmn.feel import lists
from flows.languages.bpmn.feel.library import document_functions
from flows.languages.bpmn.feel.library.list_functions import documents, equal_of, listed_of
from flows.languages.bpmn.feel.lists import NULL, Item, Listed, NoValue, Value, one, whole
from flows.languages.bpmn.feel.values import Part


def sublist(value: Value, start: Value, length: Value | None = None) -> Value:
    """Return a part of a list."""
    if (of := documents(value)) is not None:
        return document_functions.sublist(of, start, length)
    values = listed_of(value).values()
    first, size = whole(start), whole(length) if length is not None else len(values)
    if first is None or size is None:
        raise NoValue("The numbers of “sublist” are whole numbers that are written out.")
    at = first - 1 if first > 0 else len(values) + first
    if not first or size < 0 or not 0 <= at < len(values) or (length is not None and at + size > len(values)):
        return NULL
    return lists.listed(values[at : at + size])


def append(value: Value, *items: Value) -> Value:
    """Return a list with more items at its end."""
    if (of := documents(value)) is not None:
        return document_functions.append(of, *items)
    return Listed((*listed_of(value).items, *(Item(each) for each in items)))


def concatenate(*values: Value) -> Value:
    """Return the items of some lists as one list."""
    if any(documents(each) is not None for each in values):
        return document_functions.concatenate(*(documents(each) or each for each in values))
    found = Listed(tuple(item for each in values for item in listed_of(each).items))
    if len(found.items) > lists.MOST_ITEMS:
        raise NoValue(f"A list has at most {lists.MOST_ITEMS} items here.")
    return found


def insert_before(value: Value, position: Value, item: Value) -> Value:
    """Return a list with one more item."""
    values, at = listed_of(value).values(), whole(position)
    if at is None:
        raise NoValue("The position is a whole number that is written out.")
    if not at or abs(at) > len(values):
        return NULL
    at = at - 1 if at > 0 else len(values) + at
    return lists.listed([*values[:at], item, *values[at:]])


def remove(value: Value, position: Value) -> Value:
    """Return a list without one of its items."""
    values, at = listed_of(value).values(), whole(position)
    if at is None:
        raise NoValue("The position is a whole number that is written out.")
    if not at or abs(at) > len(values):
        return NULL
    at = at - 1 if at > 0 else len(values) + at
    return lists.listed([*values[:at], *values[at + 1 :]])


def replace(value: Value, position: Value, item: Value) -> Value:
    """Return a list with another item at a position."""
    found = remove(value, position)
    at = whole(position) or 0
    values = listed_of(value).values()
    if found == NULL:
        return NULL
    at = at - 1 if at > 0 else len(values) + at
    return lists.listed([*values[:at], item, *values[at + 1 :]])


def reverse(value: Value) -> Value:
    """Return the items in the other order."""
    return Listed(listed_of(value).items[::-1])


def index_of(value: Value, match: Value) -> Value:
    """Return the positions of a value."""
    values = listed_of(value).values()
    positions = lists.listed(Part(str(at), "integer") for at in range(1, len(values) + 1))
    return positions.kept([equal_of(one(each), one(match)) for each in values])


def distinct(value: Value) -> Value:
    """Return a list without items that are equal to one before them."""
    items = listed_of(value).items
    found: list[Item] = []
    for at, item in enumerate(items):
        pairs = [(each.kept, equal_of(one(item.value), one(each.value))) for each in items[:at]]
        if any(test == "true" and not kept for kept, test in pairs):
            continue
        same = [f"({kept} and {test})" if kept else test for kept, test in pairs if test != "false"]
        test = f"not ({' or '.join(same)})" if same else ""
        kept = " and ".join(each for each in (item.kept, test) if each)
        found.append(Item(item.value, f"({kept})" if kept else ""))
    return Listed(tuple(found))


def union(*values: Value) -> Value:
    """Return the items of some lists, equal ones once."""
    return distinct(concatenate(*values))


def flatten(value: Value) -> Value:
    """Return the items of lists within a list as items of it."""
    found: list[Item] = []
    for item in listed_of(value).items:
        if isinstance(item.value, Listed) and not item.kept:
            inner = flatten(item.value)
            found += inner.items if isinstance(inner, Listed) else ()
        else:
            found.append(item)
    return Listed(tuple(found))


FUNCTIONS: dict[str, tuple[str, Callable[..., Value]]] = {
    "sublist": ("list, start position, length?", sublist),
    "append": ("list", append),
    "concatenate": ("list", concatenate),
    "union": ("list", union),
    "insert before": ("list, position, newItem", insert_before),
    "remove": ("list, position", remove),
    "reverse": ("list", reverse),
    "index of": ("list, match", index_of),
    "distinct values": ("list", distinct),
    "flatten": ("list", flatten),
}
