"""The tree of a filter, and its canonical text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field as attribute

WORD = ""
"""The field of a condition that is a word or a quoted text by itself."""

_PLAIN = re.compile(r"[\w+-](?:\.(?!\.)|[\w+:/@%*-])*")
_LIKE_CONDITION = re.compile(r"[A-Za-z_][\w.]*[:]")
KEYWORDS = ("and", "or", "not")
# The operators between a field and one value; "range", "has" and "no" are written in other ways.
SIGNS = {"=": ":", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "~": "~", "^": "^"}


@dataclass(frozen=True)
class Condition:
    """One condition: a field, an operator and its values as they were written.

    The operator is a key of SIGNS, "range" (two values, of which one may be None), "has" or "no". Only "="
    and "!=" have several values. The place in the text does not count in comparisons.
    """

    field: str
    operator: str
    values: tuple[str | None, ...] = ()
    position: int = attribute(default=0, compare=False)
    length: int = attribute(default=0, compare=False)

    def text(self) -> str:
        if self.operator in ("has", "no"):
            return f"{self.operator}:{self.field}"
        if self.operator == "range":
            low, high = ("" if value is None else quoted(value) for value in self.values)
            return f"{self.field}:{low}..{high}"
        shown = [quoted(value or "", word=self.field == WORD) for value in self.values]
        if self.field == WORD:
            return shown[0]
        if self.field == "where":
            return f"where:{quote(self.values[0] or '')}"
        return f"{self.field}{SIGNS[self.operator]}" + (
            shown[0] if len(shown) == 1 else f"({', '.join(shown)})"
        )


@dataclass(frozen=True)
class Not:
    """What does not meet its part."""

    part: Node

    def text(self) -> str:
        return f"not {grouped(self.part)}"


@dataclass(frozen=True)
class And:
    """What meets all of its parts, of which there are at least two."""

    parts: tuple[Node, ...]

    def text(self) -> str:
        return " ".join(grouped(part) for part in self.parts)


@dataclass(frozen=True)
class Or:
    """What meets at least one of its parts, of which there are at least two."""

    parts: tuple[Node, ...]

    def text(self) -> str:
        return " or ".join(grouped(part) for part in self.parts)


Node = Condition | Not | And | Or


def grouped(node: Node) -> str:
    """Return the text of a part, in parentheses if it has parts itself."""
    return f"({node.text()})" if isinstance(node, And | Or) else node.text()


def quote(text: str) -> str:
    """Return a text in quotation marks."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def quoted(text: str, *, word: bool = False) -> str:
    """Return a value as it is written: quoted unless it is plain; a `word` must not look like more."""
    plain = _PLAIN.fullmatch(text) is not None and text != "*" and not text.endswith(".")
    if plain and word:
        plain = not (text.lower() in KEYWORDS or text.startswith("-") or _LIKE_CONDITION.match(text))
    return text if plain else quote(text)


def conditions(node: Node | None) -> Iterator[Condition]:
    """Yield the conditions of a tree in the order of its text."""
    if isinstance(node, Condition):
        yield node
    elif isinstance(node, Not):
        yield from conditions(node.part)
    elif node is not None:
        for part in node.parts:
            yield from conditions(part)


def all_of(*parts: Node | None) -> Node | None:
    """Return the tree that meets all of these; nested ones are flattened."""
    flat = [each for part in parts if part for each in (part.parts if isinstance(part, And) else (part,))]
    return And(tuple(flat)) if len(flat) > 1 else next(iter(flat), None)


def any_of(*parts: Node | None) -> Node | None:
    """Return the tree that meets at least one of these; nested ones are flattened."""
    flat = [each for part in parts if part for each in alternatives(part)]
    return Or(tuple(flat)) if len(flat) > 1 else next(iter(flat), None)


def alternatives(node: Node) -> tuple[Node, ...]:
    """Return the parts of which one has to be met."""
    return node.parts if isinstance(node, Or) else (node,)


def top(node: Node | None) -> tuple[Node, ...]:
    """Return the parts that all have to be met."""
    if node is None:
        return ()
    return node.parts if isinstance(node, And) else (node,)
