"""The words of an expression of FEEL, with their places."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+(?:\.[0-9]+)?|\.[0-9]+)|(?P<string>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')"
    r"|(?P<function>(?:date\s+and\s+time|get\s+or\s+else|years\s+and\s+months\s+duration|date|duration))\s*(?=\()"
    r"|(?P<name>[^\W\d]\w*)|(?P<sign>\.\.|<=|>=|<>|!==|!=|===|==|&&|\|\||\*\*|[-+*/()\[\]{}:<>=!,.@]))"
)
WORDS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
# What begins the other forms of FEEL.
FORMS = frozenset({"if", "some", "every", "for", "function"})
LITERALS = frozenset({"true", "false", "null"})
KEYWORDS = LITERALS | FORMS | WORDS.keys() | {
    "and", "or", "not", "in", "between", "then", "else", "satisfies", "return", "instance"
}  # fmt: skip


class NotSimple(ValueError):
    """An expression is not in the subset; `position` counts its characters from 1."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


@dataclass(frozen=True)
class Word:
    """A word of an expression: its kind, its text, and where it begins, counted from 1."""

    kind: str
    text: str
    position: int


def words(text: str) -> list[Word]:
    """Return the words of an expression, and its end. Raises NotSimple at what is no word."""
    found, at = [], 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            raise NotSimple(f"“{text[at : at + 20]}” is not understood.", at + 1)
        kind = match.lastgroup or ""
        found.append(Word(kind, match[kind], match.start(kind) + 1))
        at = match.end()
    return [*found, Word("end", "", len(text) + 1)]
