"""Lists and documents of JSON, which the database reads by paths of the SQL/JSON standard."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from flows.languages.bpmn.feel.values import Part

_ITEM = re.compile(r'"(?:[^"\\]|\\.)*"|@')


@dataclass(frozen=True)
class Documents:
    """Values of JSON: those that a path finds in a source, with the attributes that the path names."""

    source: str
    path: str = "$"
    passed: tuple[tuple[str, str], ...] = ()
    several: bool = False

    def key(self, name: str) -> Documents:
        """Return a part of each of these values."""
        return replace(self, path=f"{self.path}.{json.dumps(name)}")

    def where(self, test: str, passed: Mapping[str, str]) -> Documents:
        """Return those items of which a test holds."""
        both = tuple(({**dict(self.passed), **passed}).items())
        return replace(self, path=f"{self.path}[*] ? ({test})", passed=both, several=True)

    def item(self, number: int) -> Documents:
        """Return an item by its number from 1, or from the end by one below 0."""
        if self.path == "$" and not self.several:
            found = f"({self.source} -> {number - (number > 0)})"
        else:
            found = f"({self.array()} -> {number - (number > 0)})"
        return Documents(found)

    def array(self) -> str:
        """Return the values as one array."""
        path = self.path if self.path.endswith(")") else f"{self.path}[*]"
        return f"jsonb_path_query_array({self.source}, {quoted(path)}{self.variables()})"

    def count(self) -> Part:
        """Return the number of the items; null where the source is."""
        return Part(f"jsonb_array_length({self.array()})", "integer")

    def single(self) -> Part | None:
        """Return the one value, null where the path finds none; None where it may find several."""
        if self.several:
            return None
        if self.path == "$":
            return Part(self.source, "jsonb")
        return Part(
            f"jsonb_path_query_first({self.source}, {quoted(f'strict {self.path}')}, '{{}}', true)", "jsonb"
        )

    def holds(self, kind: str, test: str, passed: Mapping[str, str]) -> Part:
        """Return the value of `some` or `every`, from the truth of a test for each item."""
        merged = replace(self, passed=tuple(({**dict(self.passed), **passed}).items()))
        path = self.path if self.path.endswith(")") else f"{self.path}[*]"
        holds, fails, unknown = (
            f"jsonb_path_exists({self.source}, {quoted(f'{path} ? ({each})')}{merged.variables()})"
            for each in (test, f"!({test})", f"({test}) is unknown")
        )
        first, then = (f"{holds} then true", "false") if kind == "some" else (f"{fails} then false", "true")
        text = f"(case when {first} when {self.source} is null or {unknown} then null else {then} end)"
        return Part(text, "boolean")

    def variables(self) -> str:
        """Return the argument that gives the path the values of attributes."""
        return f", {' || '.join(value for _name, value in self.passed)}" if self.passed else ""


@dataclass(frozen=True)
class Mapped:
    """What `for` makes of each item of a list in an attribute: a path in which @ is the item."""

    of: Documents
    path: str = "@"
    passed: tuple[tuple[str, str], ...] = ()

    def item(self, number: int) -> Part:
        """Return the result for one item."""
        found = self.of.item(number).source
        text = f"jsonb_path_query_first({found}, {quoted(at(self.path))}{self.variables()}, true)"
        return Part(text, "jsonb")

    def variables(self) -> str:
        """Return the argument that gives the path the values of attributes."""
        return f", {' || '.join(value for _name, value in self.passed)}" if self.passed else ", '{}'"


@dataclass(frozen=True)
class Extreme:
    """The least or greatest number of a list in an attribute, which is only compared."""

    of: Documents
    greatest: bool

    def has(self, test: str, passed: str = "") -> str:
        """Return whether a test holds for an item; `passed` has the value of an attribute that it names."""
        given = f", {passed}" if passed else ""
        return f"jsonb_path_exists({self.of.array()}, {quoted(f'$[*] ? ({test})')}{given})"


def at(path: str, place: int | None = None) -> str:
    """Return a path with an item of an array, or the whole document, in place of its @."""
    item = "$" if place is None else f"$[{place}]"
    return _ITEM.sub(lambda found: item if found[0] == "@" else found[0], path)


def quoted(text: str) -> str:
    """Return a text as one of SQL."""
    return "'" + text.replace("'", "''") + "'"
