"""Lists and contexts that are written out: they exist while an expression is translated.

An item that a filter keeps or leaves has a condition. What is computed from a list names each item, and each
condition, so that the size of the SQL is that of the list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from flows.languages.bpmn.feel.paths import Documents, Extreme, Mapped, quoted
from flows.languages.bpmn.feel.values import NUMBERS, TEXTS, Part

MOST_ITEMS = 100
NULL = Part("null")
TRUE = Part("true", "boolean")
_PLAIN = re.compile(r"[\w.]+|(?:(?:date|timestamptz|interval) )?'(?:[^']|'')*'")
_CALL = re.compile(r"\w*\(")
_BRACKETS = re.compile(r"'(?:[^']|'')*'|[()]")
_EMPTY = "'[]'::jsonb"
_LITERAL = re.compile(r"\(*-?(?:\d+(?:\.\d+)?|\.\d+)\)*|'(?:[^']|'')*'")
_WHOLE = re.compile(r"-?\d{1,9}")


class NoValue(ValueError):
    """A value cannot be translated; the message says why."""


@dataclass(frozen=True)
class Context:
    """A context: values by their names."""

    entries: Mapping[str, Value]


@dataclass(frozen=True)
class Item:
    """An item of a list, and the condition under which it is one; empty if it always is."""

    value: Value
    kept: str = ""


@dataclass(frozen=True)
class Listed:
    """A list that is written out."""

    items: tuple[Item, ...]

    @property
    def is_fixed(self) -> bool:
        """Return whether the number of items is known."""
        return not any(item.kept for item in self.items)

    def values(self) -> list[Value]:
        """Return the values of a list whose number of items is known. Raises NoValue."""
        if not self.is_fixed:
            raise NoValue("A list that a filter made has no known number of items here.")
        return [item.value for item in self.items]

    def kept(self, tests: Iterable[str]) -> Listed:
        """Return the items of which a condition holds, one for each item."""
        return Listed(
            tuple(_kept(item, test) for item, test in zip(self.items, tests, strict=True) if test != "false")
        )


@dataclass(frozen=True)
class Ranged:
    """A range, whose ends are within it or not."""

    low: Part
    high: Part
    with_low: bool = True
    with_high: bool = True


@dataclass(frozen=True)
class Closure:
    """A function that is written out: the names of its arguments, and what makes its result of them."""

    names: tuple[str, ...]
    result: Callable[[Sequence[Value]], Value]


Value = Part | Listed | Context | Documents | Mapped | Extreme | Ranged | Closure
_NO_SINGLE: dict[type, str] = {
    Listed: "A list is no value that SQL has here.",
    Context: "A context is no value that SQL has here.",
    Extreme: "The least or greatest item of a list in an attribute is compared with a number, or with an "
    "attribute that is one, only.",
    Mapped: "What “for” makes of a list in an attribute is added or counted, or one item is taken: let a "
    "task compute the rest.",
    Ranged: "A range is no value that SQL has here; write it after “in”, or into a function of ranges.",
    Closure: "“function(” is written as an argument of “sort(” or “list replace(” only.",
}


def listed(values: Iterable[Value]) -> Listed:
    """Return a list of values. Raises NoValue for too many."""
    found = Listed(tuple(Item(each) for each in values))
    if len(found.items) > MOST_ITEMS:
        raise NoValue(f"A list has at most {MOST_ITEMS} items here.")
    return found


def _kept(item: Item, test: str) -> Item:
    if test == "true":
        return item
    test = f"coalesce({test}, false)"
    return Item(item.value, f"({item.kept} and {test})" if item.kept else test)


def one(value: Value) -> Part:
    """Return a value that is no list and no context. Raises NoValue."""
    if isinstance(value, Documents):
        found = value.single()
        if found is None:
            raise NoValue("A list is no single value; take one item, such as list[1].")
        return found
    if isinstance(value, Part):
        return value
    raise NoValue(_NO_SINGLE[type(value)])


def only(value: Value) -> str:
    """Return the sentence about a value that is no single one."""
    return _NO_SINGLE[type(value)]


def closed(part: Part) -> Part:
    """Return a part that stays one beside any sign."""
    return part if _PLAIN.fullmatch(part) or _is_call(part) else like(f"({part})", part)


def _is_call(text: str) -> bool:
    """Return whether a text is one call, or is in brackets as a whole."""
    opened = 0
    if _CALL.match(text) is None:
        return False
    for found in _BRACKETS.finditer(text):
        opened += {"(": 1, ")": -1}.get(found[0], 0)
        if not opened:
            return found.end() == len(text)
    return False


def item(value: Value) -> Value:
    """Return a value as it is kept in a list or a context, from which it is taken into other expressions."""
    return closed(value) if isinstance(value, Part) else value


def like(text: str, part: Part) -> Part:
    """Return another text with the type of a part."""
    return Part(text, part.type, part.months)


def whole(value: Value) -> int | None:
    """Return a whole number that is written out, None for another value."""
    plain = value.strip("()") if isinstance(value, Part) else ""
    return int(plain) if _WHOLE.fullmatch(plain) else None


def is_written(part: Part) -> bool:
    """Return whether a part is a number, a text or null that is written out."""
    return part == NULL or _LITERAL.fullmatch(part) is not None


def written(part: Part) -> object:
    """Return a key that two parts that are written out share if they have the same value."""
    return str(part) if part.startswith("'") or part == NULL else Decimal(part.strip("()"))


def is_null(part: Part) -> str:
    """Return the test of null, also of JSON."""
    if part.type == "jsonb" and not part.isidentifier():
        return f"coalesce(jsonb_typeof({part}), 'null') = 'null'"
    return f"{part} is null"


def as_type(part: Part, type_: str) -> Part:
    """Return a value of JSON as one of a type, null where it is of another one. Raises NoValue."""
    if part.type != "jsonb":
        return part
    if type_ in NUMBERS:
        return Part(f"(case when jsonb_typeof({part}) = 'number' then {part}::numeric end)", "numeric")
    if type_ == "boolean":
        return Part(f"(case when jsonb_typeof({part}) = 'boolean' then {part}::boolean end)", "boolean")
    if type_ in TEXTS:
        return Part(f"(case when jsonb_typeof({part}) = 'string' then {part} #>> '{{}}' end)", "text")
    if not type_:
        raise NoValue("A value of JSON is not comparable with one whose type is not known.")
    raise NoValue(f"A value of JSON is not comparable with one of type {type_}.")


def common(parts: Iterable[Part]) -> str:
    """Return the type that parts have in common, empty if it is unknown. Raises NoValue if they have none."""
    types = {part.type for part in parts if part != NULL}
    types = {"text" if each in TEXTS else "numeric" if each in NUMBERS else each for each in types}
    known = types - {"", "jsonb"}
    if len(known) > 1:
        raise NoValue(f"The items are of several types ({', '.join(sorted(known))}).")
    return next(iter(known), "")


def shared(parts: list[Part]) -> str:
    """Return the type of a choice of parts. Raises NoValue if they have none in common."""
    found = common(parts)
    if found == "numeric" and {part.type for part in parts if part != NULL} == {"integer"}:
        return "integer"  # what is computed with it must not be computed with whole numbers of the database
    return found or ("jsonb" if any(part.type == "jsonb" for part in parts) else "")


def parts_of(found: Listed, type_: str = "") -> list[Part]:
    """Return the items as values of one type. Raises NoValue."""
    parts = [one(item.value) for item in found.items]
    wanted = common(parts) or type_
    if type_ and wanted != type_:
        raise NoValue(f"The items are of type {wanted}, not {type_}.")
    return [closed(as_type(part, wanted)) if wanted else closed(part) for part in parts]


def chosen(found: Listed, number: int) -> Value:
    """Return an item by its number from 1, or from the end by one below 0; null without such an item."""
    items = found.items
    if found.is_fixed:
        at = number - 1 if number > 0 else len(items) + number
        return items[at].value if number and 0 <= at < len(items) else NULL
    values = parts_of(found)
    rows = [*zip(items, values, strict=True)][:: 1 if number > 0 else -1]
    cases, before = [], [f"{abs(number) - 1}"]
    for item, value in rows:
        left = f" and {' - '.join(before)} = 0" if number and abs(number) > 1 else ""
        cases.append(f"when {item.kept or 'true'}{left} then {value}")
        before.append(f"(case when {item.kept or 'true'} then 1 else 0 end)")
    return Part(f"(case {' '.join(cases)} end)", shared(values)) if number and cases else NULL


def at_number(found: Listed, number: Part) -> Part:
    """Return the item whose number is computed."""
    found.values()
    values = parts_of(found)
    size = len(values)
    cases = " ".join(
        f"when {at + 1} then {value} when {at - size} then {value}" for at, value in enumerate(values)
    )
    return Part(f"(case {closed(number)} {cases} end)", shared(values)) if cases else NULL


def folded(found: Listed, sign: str, each: Callable[[Part, str], str], empty: str) -> str:
    """Return all items, joined by a sign."""
    parts = parts_of(found)
    texts = [each(part, item.kept) for part, item in zip(parts, found.items, strict=True)]
    return f"({sign.join(texts)})" if texts else empty


def as_json(value: Value) -> str:
    """Return a value as JSON in SQL. Raises NoValue."""
    if isinstance(value, Documents):
        return value.array() if value.several else str(value.single())
    if isinstance(value, Listed):
        pieces = [_piece(item) for item in value.items]
        return f"({' || '.join([_EMPTY, *pieces])})"
    if not isinstance(value, Part):
        raise NoValue(_NO_SINGLE[type(value)])
    if value.type == "jsonb":
        return value
    if value.type in TEXTS:
        return f"coalesce(jsonb_object(array['v', {value}]) -> 'v', 'null'::jsonb)"
    if value.type in NUMBERS | {"boolean"} or value == NULL:
        return f"coalesce(({value})::text, 'null')::jsonb"
    raise NoValue("A list with such items is no value that SQL has here.")


def _piece(item: Item) -> str:
    if not isinstance(item.value, Part):
        raise NoValue("A list within a list is no value that SQL has here.")
    found = as_json(item.value)
    return f"(case when {item.kept} then {found} else {_EMPTY} end)" if item.kept else f"({found})"


def text(value: str) -> Part:
    """Return a text that is known."""
    return Part(quoted(value), "text")
