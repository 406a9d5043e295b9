"""The words of an expression of FEEL, with their places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

_BETWEEN = re.compile(r"(?:\s|//[^\n]*|/\*(?s:.*?)\*/)*")
_TOKEN = re.compile(
    r"(?:(?P<number>(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,2}(?!\w))?)|(?P<string>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')"
    r"|(?P<function>(?:date\s+and\s+time|get\s+or\s+else|years\s+and\s+months\s+duration|date|duration))\s*(?=\()"
    r"|`(?P<quoted>[^`]+)`|(?P<name>[^\W\d]\w*)|(?P<sign>\.\.|<=|>=|<>|!==|!=|===|==|&&|\|\||\*\*|[-+*/()\[\]{}:<>=!,.@]))"
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
    found, at = list[Word](), _after_blanks(text, 0)
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise NotSimple(f"“{text[at : at + 20]}” is not understood.", at + 1)
        kind = match.lastgroup or ""
        found.append(_word(kind, match[kind], match.start(kind) + 1))
        at = _after_blanks(text, match.end())
    return [*found, Word("end", "", len(text) + 1)]


def _after_blanks(text: str, at: int) -> int:
    """Return where the next word begins: after white space and comments."""
    found = _BETWEEN.match(text, at)
    return found.end() if found is not None else at


def _word(kind: str, text: str, place: int) -> Word:
    """Return a word; a number without its exponent, a name that was quoted as another one."""
    if kind == "quoted":
        return Word("name", " ".join(re.sub(r"\W+", " ", text).split()) or text, place)
    if kind == "number" and "e" in text.lower():
        text = format(Decimal(text), "f")
    return Word(kind, text, place)
