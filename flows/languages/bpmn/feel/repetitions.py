"""The forms `for`, `some` and `every`, over lists that are written out, or in attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from flows.languages.bpmn.feel import lists, tree
from flows.languages.bpmn.feel.lists import NULL, Item, Listed, Value, closed, whole
from flows.languages.bpmn.feel.path_tests import NoPath, Tests
from flows.languages.bpmn.feel.paths import Documents, Mapped
from flows.languages.bpmn.feel.selections import of_documents
from flows.languages.bpmn.feel.values import Part
from flows.languages.bpmn.feel.words import NotSimple

_MANY = f"A list has at most {lists.MOST_ITEMS} items here."
Names = Mapping[str, Value]


class Translation(Protocol):
    """What translates the parts of an expression."""

    types: Mapping[str, str]

    def value(self, node: tree.Node, names: Names) -> Value:
        """Return the value of a node, where names have values."""

    def part(self, node: tree.Node, names: Names) -> Part:
        """Return the value of a node that is neither a list nor a context."""


def repeated(node: tree.Repetition, names: Names, translation: Translation) -> Value:
    """Return the value of a repetition. Raises NotSimple."""
    first = _list(node, node.lists[0][1], names, translation)
    if first == NULL:
        return NULL
    if isinstance(first, Documents) and len(node.lists) == 1:
        tests = Tests(translation.types, names, node.lists[0][0])
        return _mapped(node, first, tests) if node.word == "for" else _quantified(node, first, tests)
    results: list[Item] = []
    _repeat(node, names, "", translation, results)
    if node.word == "for":
        return Listed(tuple(results))
    sign, form = ("or", "({} and {})") if node.word == "some" else ("and", "(not {} or {})")
    texts = [form.format(each.kept, each.value) if each.kept else str(each.value) for each in results]
    empty = "false" if node.word == "some" else "true"
    return Part(f"({f' {sign} '.join(texts)})" if texts else empty, "boolean")


def _repeat(
    node: tree.Repetition, names: Names, kept: str, translation: Translation, results: list[Item], at: int = 0
) -> None:
    """Add the values for the items of the lists from one on."""
    if at == len(node.lists):
        results.append(Item(_result(node, names, translation, results), kept))
        if len(results) > lists.MOST_ITEMS:
            raise NotSimple(_MANY, node.position)
        return
    name, domain = node.lists[at]
    of = _list(node, domain, names, translation)
    if not isinstance(of, Listed):
        said = f"“{node.word}” over a list in an attribute is not in the subset; let a task compute it."
        raise NotSimple(said, domain.position)
    for item in of.items:
        both = " and ".join(each for each in (kept, item.kept) if each)
        _repeat(node, {**names, name: item.value}, both, translation, results, at + 1)


def _result(node: tree.Repetition, names: Names, translation: Translation, results: list[Item]) -> Value:
    if node.word == "for":
        return lists.item(translation.value(node.part, {**names, "partial": Listed(tuple(results))}))
    return closed(lists.as_type(translation.part(node.part, names), "boolean"))


def _list(
    node: tree.Repetition, domain: tree.Node, names: Names, translation: Translation
) -> Listed | Documents | Part:
    """Return the list of a repetition, or null."""
    if isinstance(domain, tree.Range):
        return _numbers(domain, names, translation)
    found = translation.value(domain, names)
    of = of_documents(found)
    named = isinstance(found, Documents) or (isinstance(found, Part) and found.isidentifier())
    if isinstance(of, Listed) or (isinstance(of, Documents) and named):
        return of
    if found == NULL:
        return NULL
    message = (
        f"“{node.word}” needs a list: one that is written out, or an attribute with a list (type jsonb)."
    )
    raise NotSimple(message, domain.position)


def _numbers(domain: tree.Range, names: Names, translation: Translation) -> Listed:
    """Return the numbers from one to another, up or down."""
    first, last = (whole(translation.part(each, names)) for each in (domain.low, domain.high))
    if first is None or last is None or not (domain.with_low and domain.with_high):
        said = "The ends of these numbers are whole numbers that are written out."
        raise NotSimple(said, domain.position)
    if abs(last - first) >= lists.MOST_ITEMS:
        raise NotSimple(_MANY, domain.position)
    step = 1 if first <= last else -1
    return lists.listed(Part(str(each), "integer") for each in range(first, last + step, step))


def _quantified(node: tree.Repetition, of: Documents, tests: Tests) -> Part:
    """Return `some` or `every` over a list of JSON."""
    try:
        return of.holds(node.word, tests.test(node.part), tests.passed)
    except NoPath as error:
        message = (
            f"Items of “{node.word}” are compared with values that are written out only, and with attributes "
            "that are numbers, texts or truth values."
        )
        raise NotSimple(message, error.position) from error


def _mapped(node: tree.Repetition, of: Documents, tests: Tests) -> Mapped:
    """Return the results of `for` over a list of JSON."""
    try:
        path = tests.operand(node.part)
    except NoPath as error:
        message = (
            "Of the items of a list in an attribute, “for” makes sums, differences and products of their "
            "parts, numbers, and attributes that are numbers; let a task compute more."
        )
        raise NotSimple(message, error.position) from error
    return Mapped(of, path, tuple(tests.passed.items()))
