"""Items and parts of lists, contexts and documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flows.languages.bpmn.feel import lists, tree
from flows.languages.bpmn.feel.lists import NULL, Closure, Context, Listed, NoValue, Ranged, Value, whole
from flows.languages.bpmn.feel.path_tests import NoPath, Tests
from flows.languages.bpmn.feel.paths import Documents, Extreme, Mapped
from flows.languages.bpmn.feel.properties import property_of
from flows.languages.bpmn.feel.values import NUMBERS, Part
from flows.languages.bpmn.feel.words import NotSimple

_WRITTEN = tree.Number | tree.Negative
_COMPARED = (
    "Items of a list in an attribute are compared with their parts, values that are written out, and "
    "attributes that are numbers, texts or truth values only."
)


def of_documents(value: Value) -> Value:
    """Return a value of JSON, or of an unknown type, as documents."""
    if isinstance(value, Part) and value.type in ("", "jsonb") and value != NULL:
        return Documents(value)
    return value


def filtered(
    value: Value, node: tree.Filter, part: Callable[[Mapping[str, Value]], Part], tests: Tests
) -> Value:
    """Return an item of a list by its number, or the items of which a condition holds.

    `part` returns what is in the brackets, with the names of an item; `tests` writes it for documents.
    Raises NoValue, NotSimple.
    """
    of = of_documents(value)
    if isinstance(of, Documents):
        return _documents(of, node, part, tests)
    if isinstance(of, Mapped) and isinstance(node.part, _WRITTEN):
        return of.item(number) if (number := whole(part({}))) else NULL
    if of == NULL:
        return NULL
    if isinstance(of, Part) and of.type == "text[]":
        return _of_texts(of, part({}))
    if not isinstance(of, Listed):
        of = lists.listed([of])
    return _items(of, node, [part(_item_names(item.value)) for item in of.items])


def _items(of: Listed, node: tree.Filter, tests: list[Part]) -> Value:
    if not tests:
        return NULL if isinstance(node.part, _WRITTEN) else of
    number = whole(tests[0])
    if number is not None:
        return lists.chosen(of, number)
    if tests[0].type in NUMBERS:
        return lists.at_number(of, tests[0])
    return of.kept([str(lists.as_type(each, "boolean")) for each in tests])


def _documents(
    of: Documents, node: tree.Filter, part: Callable[[Mapping[str, Value]], Part], tests: Tests
) -> Value:
    number = whole(part({})) if isinstance(node.part, _WRITTEN) else None
    if number is not None:
        return of.item(number) if number else NULL
    try:
        return of.where(tests.test(node.part), tests.passed)
    except NoPath as error:
        raise NotSimple(_COMPARED, error.position) from error


def part_of(value: Value, key: str) -> Value:
    """Return a part of a context, a document or each item of a list, or a property of a date.

    Raises NoValue where there is none.
    """
    of = of_documents(value)
    if isinstance(of, Context):
        return of.entries.get(key, NULL)
    if isinstance(of, Documents):
        return of.key(key)
    if isinstance(of, Listed):
        return Listed(tuple(lists.Item(part_of(item.value, key), item.kept) for item in of.items))
    if isinstance(of, Ranged):
        return _end(of, key)
    if isinstance(of, Mapped | Extreme):
        return lists.one(of)
    if isinstance(of, Closure):
        raise NoValue(f"A function has no part “{key[:40]}”.")
    return property_of(of, key)


def _end(of: Ranged, key: str) -> Part:
    ends = {"start": of.low, "end": of.high}
    included = {"start included": of.with_low, "end included": of.with_high}
    if key in ends:
        return lists.closed(ends[key])
    if key not in included:
        raise NoValue(f"A range has no part “{key[:40]}”.")
    return Part(str(included[key]).lower(), "boolean")


def _item_names(value: Value) -> dict[str, Value]:
    """Return the names that a filter has for an item and its parts."""
    found: dict[str, Value] = {"item": value}
    if isinstance(value, Context):
        found |= {tree.key_of(name): each for name, each in value.entries.items()}
    return found


def _of_texts(of: Part, number: Part) -> Part:
    """Return an item of a list of texts that was made of one text."""
    at = whole(number)
    if at is None:
        raise NoValue("Of these texts, an item is taken by a number that is written out.")
    index = str(at) if at > 0 else f"cardinality({of}) + {at + 1}"
    return Part(f"({of})[{index}]", "text") if at else NULL
