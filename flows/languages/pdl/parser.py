"""Reads the header of a block or a clause by the grammar, and says what was expected where it cannot."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

GRAMMAR = Path(__file__).with_name("grammar.lark")
DEEPEST = 50  # parentheses within each other, as in a condition of the kernel
STARTS = (
    "top", "inner", "file_clause", "query_clause", "string_clause", "number_clause", "task_clause",
    "sub_workflow_clause", "model_clause", "application_clause",
)  # fmt: skip
SPELLED = {"SUB_WORKFLOW": "SUB-WORKFLOW"}
_SHOWN = {
    "IDENT": "an id",
    "TEXT": "a text in double quotes",
    "INTEGER": "a whole number",
    "DECIMAL": "a number",
    "ARROW": "“->”",
    "COLON": "“:”",
    "COMMA": "“,”",
    "LPAR": "“(”",
    "RPAR": "“)”",
    "$END": "“;”",
    "AND": "AND",
    "OR": "OR",
}
_LEFT_OUT = ("SELECTED", "LOCKED", "NOT_READY", "FAILED", "WS")


class Unexpected(Exception):
    """The grammar does not have what is at `place` of a piece; `found` is empty at the end."""

    def __init__(self, place: int, found: str, expected: list[str]) -> None:
        super().__init__(found)
        self.place, self.found, self.expected = place, found, expected


class TooDeep(Exception):
    """A rule has more parentheses within each other than are read."""


@cache
def parser() -> Lark:
    """Return the parser of the grammar."""
    return Lark(GRAMMAR.read_text(encoding="utf-8"), start=[*STARTS], parser="lalr", maybe_placeholders=False)


def parse(text: str, start: str) -> Tree[Token]:
    """Return the tree of a piece of a text. Raises Unexpected, TooDeep."""
    if text.count("(") > DEEPEST and _depth(text) > DEEPEST:
        raise TooDeep
    try:
        return parser().parse(text, start=start)
    except UnexpectedInput as error:
        raise _unexpected(text, error) from None


def _depth(text: str) -> int:
    deepest = depth = 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        deepest = max(deepest, depth)
    return deepest


def _unexpected(text: str, error: UnexpectedInput) -> Unexpected:
    if isinstance(error, UnexpectedToken):
        accepted: Iterable[str] = error.accepts or error.expected
        if error.token.type == "$END":
            return Unexpected(len(text), "", expected(accepted))
        return Unexpected(error.token.start_pos or 0, str(error.token), expected(accepted))
    allowed = error.allowed or () if isinstance(error, UnexpectedCharacters) else ()
    place = error.pos_in_stream or 0
    words = text[place:].split()
    return Unexpected(place, words[0][:40] if words else "", expected(allowed))


def expected(accepted: Iterable[str]) -> list[str]:
    """Return the expectations of the grammar at a place, in the words of a person, keywords first."""
    names = {each for each in accepted if each not in _LEFT_OUT}
    if "INTEGER" in names and "DECIMAL" in names:
        names.remove("INTEGER")
    words = sorted(SPELLED.get(each, each) for each in names if each not in _SHOWN)
    return [*words, *sorted(_SHOWN[each] for each in names if each in _SHOWN)]
