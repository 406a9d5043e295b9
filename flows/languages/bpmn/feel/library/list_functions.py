"""The functions of FEEL for lists (DMN 1.5, 10.3.4.4)."""

from __future__ import annotations

from collections.abc import Callable

from flows.languages.bpmn.feel import lists
from flows.languages.bpmn.feel.library import document_functions
from flows.languages.bpmn.feel.lists import NULL, Item, Listed, NoValue, Value, closed, one, parts_of
from flows.languages.bpmn.feel.path_tests import variable
from flows.languages.bpmn.feel.paths import Documents, Mapped, quoted
from flows.languages.bpmn.feel.values import TEXTS, Part


def is_list(value: Value) -> bool:
    """Return whether a value is, or may be, a list."""
    return (
        isinstance(value, Listed | Documents | Mapped)
        or (isinstance(value, Part) and value.type in ("jsonb", "text[]") and value != NULL)
        or (isinstance(value, Part) and value.type == "" and value.isidentifier() and value != NULL)
    )


def listed_of(value: Value) -> Listed:
    """Return a list that is written out. Raises NoValue for one in an attribute."""
    if isinstance(value, Listed):
        return value
    if is_list(value):
        raise NoValue(
            "The items of a list in an attribute are not computed with here; let a task compute it."
        )
    if not isinstance(value, lists.Context):
        value = one(value)
    return lists.listed([value])


def documents(value: Value) -> Documents | None:
    """Return a list in an attribute, None for another value."""
    if isinstance(value, Documents):
        return value
    if isinstance(value, Mapped):
        return value.of if value.path == "@" else None
    untyped = isinstance(value, Part) and value.type in ("", "jsonb") and value != NULL
    return Documents(value) if isinstance(value, Part) and untyped else None


def equal_of(left: Part, right: Part) -> str:
    """Return the test whether two values are equal, which null is to null only."""
    if left == right == NULL:
        return "true"
    if NULL in (left, right):
        other = right if left == NULL else left
        return "false" if lists.is_written(other) else lists.is_null(other)
    type_ = lists.common([left, right])
    if lists.is_written(left) and lists.is_written(right):
        return str(lists.written(left) == lists.written(right)).lower()
    first, second = (lists.as_type(each, type_) if type_ else each for each in (left, right))
    return f"{closed(first)} is not distinct from {closed(second)}"


def contains(value: Value, element: Value) -> Part:
    """Return whether a list contains a value."""
    wanted = one(element)
    if isinstance(value, Part) and value.type == "text[]":
        return Part(f"coalesce({wanted} = any ({value}), false)", "boolean")
    of = documents(value)
    if of is None:
        pairs = [(item.kept, equal_of(one(item.value), wanted)) for item in listed_of(value).items]
        tests = [f"({kept} and {test})" if kept else test for kept, test in pairs if test != "false"]
        return Part(f"({' or '.join(tests)})" if tests else "false", "boolean")
    if wanted == NULL:
        test, passed = "@ == null", {}
    elif wanted.type == "":
        raise NoValue("The type of the element is not known.")
    else:
        test, passed = "@ == $element", {"element": variable("element", wanted, wanted.type in TEXTS)}
    return Part(f"(case when {of.source} is not null then {_exists(of.where(test, passed))} end)", "boolean")


def _exists(of: Documents) -> str:
    return f"jsonb_path_exists({of.source}, {quoted(of.path)}{of.variables()})"


def count(value: Value) -> Part:
    """Return the number of items."""
    if isinstance(value, Part) and value.type == "text[]":
        return Part(f"cardinality({value})", "integer")
    of = value.of if isinstance(value, Mapped) else documents(value)
    if of is not None:
        return of.count()
    found = listed_of(value)
    if found.is_fixed:
        return Part(str(len(found.items)), "integer")
    counted = [f"(case when {item.kept} then 1 else 0 end)" if item.kept else "1" for item in found.items]
    return Part(f"({' + '.join(counted)})", "integer")


def _folded(value: Value, form: Callable[[list[str]], str], empty: str) -> Value:
    """Return the result of all items that are kept, null where one of them or the list is null."""
    found = listed_of(value)
    if not found.items:
        return NULL
    parts = parts_of(found)
    type_ = lists.common(parts)
    if NULL in parts and found.is_fixed:
        return NULL
    texts = [
        f"(case when {item.kept} then {part} else {empty} end)" if item.kept else str(part)
        for part, item in zip(parts, found.items, strict=True)
    ]
    result = form(texts)
    if not found.is_fixed:
        some = " or ".join(item.kept or "true" for item in found.items)
        result = f"(case when {some} then {result} end)"
    return Part(result, "numeric" if type_ in ("integer", "numeric") else type_)


def _either(
    in_attribute: Callable[[Mapped], Value], written: Callable[[Value], Value]
) -> Callable[[Value], Value]:
    """Return a function of a list in an attribute or of one that is written out."""

    def found(value: Value) -> Value:
        if isinstance(value, Mapped):
            return in_attribute(value)
        of = documents(value)
        return written(value) if of is None else in_attribute(Mapped(of))

    return found


def total(value: Value) -> Value:
    """Return the sum, null of an empty list."""
    return _folded(_numbers(value), lambda texts: f"({' + '.join(texts)})", "0")


def times(value: Value) -> Value:
    """Return the product, null of an empty list."""
    return _folded(_numbers(value), lambda texts: f"({' * '.join(texts)})", "1")


def mean(value: Value) -> Value:
    """Return the arithmetic mean, null of an empty list."""
    found = total(value)
    number = count(value)
    return NULL if found == NULL else Part(f"({found} / nullif({number}, 0)::numeric)", "numeric")


def _numbers(value: Value) -> Listed:
    found = listed_of(value)
    parts = parts_of(found, "numeric")
    cast = [
        Part(f"{part}::numeric" if part.type != "numeric" and part != NULL else part, "numeric")
        for part in parts
    ]
    return Listed(tuple(Item(NULL if part == NULL else part, item.kept)
                        for part, item in zip(cast, found.items, strict=True)))  # fmt: skip


def _extreme(function: str) -> Callable[[Value], Value]:
    def extreme(value: Value) -> Value:
        found = listed_of(value)
        if not found.items:
            return NULL
        parts = parts_of(found)
        if NULL in parts and found.is_fixed:
            return NULL
        texts = [
            f"(case when {item.kept} then {part} end)" if item.kept else str(part)
            for part, item in zip(parts, found.items, strict=True)
        ]
        unknown = [
            f"({item.kept} and {part} is null)" if item.kept else f"{part} is null"
            for part, item in zip(parts, found.items, strict=True)
            if not lists.is_written(part)
        ]
        best = f"{function}({', '.join(texts)})"
        type_ = lists.shared(parts)
        return Part(
            f"(case when {' or '.join(unknown)} then null else {best} end)" if unknown else best, type_
        )

    return extreme


def _truths(word: str) -> Callable[[Value], Value]:
    def truth(value: Value) -> Value:
        found = listed_of(value)
        empty = word == "and"
        parts = parts_of(found, "boolean")
        texts = [
            f"(case when {item.kept} then {part} else {str(empty).lower()} end)" if item.kept else str(part)
            for part, item in zip(parts, found.items, strict=True)
        ]
        return Part(f"({f' {word} '.join(texts)})" if texts else str(empty).lower(), "boolean")

    return truth


def joined(value: Value, delimiter: Value | None = None) -> Value:
    """Return texts as one text; a text that is null is left out."""
    found = listed_of(value)
    sign = one(delimiter) if delimiter is not None else Part("''", "text")
    if not sign.startswith("'") and sign != NULL:
        raise NoValue("The delimiter is a text that is written out.")
    between = "''" if sign == NULL else str(sign)
    parts = parts_of(found, "text")
    texts = [
        f"coalesce((case when {item.kept} then {between} || {part} end), '')"
        if item.kept
        else f"coalesce({between} || {part}, '')"
        for part, item in zip(parts, found.items, strict=True)
        if part != NULL
    ]
    start = len(between[1:-1].replace("''", "'")) + 1
    return Part(f"substr({' || '.join(texts)}, {start})" if texts else "''", "text")


FUNCTIONS: dict[str, tuple[str, Callable[..., Value]]] = {
    "list contains": ("list, element", contains),
    "count": ("list", count),
    "sum": ("list", _either(document_functions.total, total)),
    "product": ("list", _either(document_functions.times, times)),
    "mean": ("list", _either(document_functions.mean, mean)),
    "min": ("list", _either(document_functions.extreme(greatest=False), _extreme("least"))),
    "max": ("list", _either(document_functions.extreme(greatest=True), _extreme("greatest"))),
    "all": ("list", _either(document_functions.truth("every"), _truths("and"))),
    "any": ("list", _either(document_functions.truth("some"), _truths("or"))),
    "string join": ("list, delimiter?", joined),
}
