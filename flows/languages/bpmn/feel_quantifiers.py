"""FEEL's `some` and `every` over a list of JSON, as SQL with a path of the SQL/JSON standard."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Protocol

from flows.languages.bpmn.feel_values import text_of

_COMPARED = {"=": "==", "==": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


class Word(Protocol):
    """A word of an expression: its kind, its text, and where it begins."""

    @property
    def kind(self) -> str:
        """Return the kind."""

    @property
    def text(self) -> str:
        """Return the text."""

    @property
    def position(self) -> int:
        """Return the place, counted from 1."""


class NoPath(ValueError):
    """What is said of the items is not comparable by a path; `position` is where."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


def quantified(kind: str, items: str, path: str) -> str:
    """Return SQL that is true, false or unknown as `some` or `every` is, of items of which a path is said."""
    holds, fails, unknown = (
        f"jsonb_path_exists({items}, {_quoted(f'$[*] ? ({test})')})"
        for test in (path, f"!({path})", f"({path}) is unknown")
    )
    first, then = (f"{holds} then true", "false") if kind == "some" else (f"{fails} then false", "true")
    return f"(case when {first} when {items} is null or {unknown} then null else {then} end)"


class Paths:
    """Reads what is said of an item, up to a word that does not belong to it."""

    def __init__(self, words: Sequence[Word], at: int, item: str) -> None:
        self.words, self.at, self.item = words, at, item

    @property
    def word(self) -> Word:
        """Return the present word."""
        return self.words[self.at]

    def take(self, *texts: str) -> bool:
        """Go on if the present word is one of these."""
        found = self.word.kind in ("sign", "name") and self.word.text in texts
        self.at += found
        return found

    def either(self) -> str:
        """Return a disjunction as a path."""
        parts = [self.both()]
        while self.take("or", "||"):
            parts.append(self.both())
        return " || ".join(parts)

    def both(self) -> str:
        """Return a conjunction as a path."""
        parts = [self.compared()]
        while self.take("and", "&&"):
            parts.append(self.compared())
        return " && ".join(parts)

    def compared(self) -> str:
        """Return a comparison, or what is in parentheses, as a path."""
        if self.take("not", "!"):
            return f"!({self.grouped()})"
        if self.word.text == "(" and self.word.kind == "sign":
            return f"({self.grouped()})"
        left = self.operand()
        sign = _COMPARED.get(self.word.text) if self.word.kind == "sign" else None
        if sign is None:
            if left.startswith("@"):
                return f"{left} == true"
            raise NoPath(self.word.position)
        self.at += 1
        return f"{left} {sign} {self.operand()}"

    def grouped(self) -> str:
        """Return what is in parentheses."""
        if not self.take("("):
            raise NoPath(self.word.position)
        found = self.either()
        if not self.take(")"):
            raise NoPath(self.word.position)
        return found

    def operand(self) -> str:
        """Return the item, one of its parts, or a value that is written out."""
        word = self.word
        self.at += word.kind != "end"
        if word.kind == "number":
            return word.text if word.text[0] != "." else f"0{word.text}"
        if word.kind == "string":
            text = text_of(word.text)
            if text is None:
                raise NoPath(word.position)
            return json.dumps(text)
        if word.kind == "name" and word.text in ("true", "false", "null"):
            return word.text
        if word.kind != "name" or word.text != self.item:
            raise NoPath(word.position)
        found = "@"
        while self.take("."):
            if self.word.kind != "name":
                raise NoPath(self.word.position)
            found += f".{json.dumps(self.word.text)}"
            self.at += 1
        return found


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
