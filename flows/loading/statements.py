"""Cuts an SQL script into its statements, so that every error has its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Where a semicolon or a dash means nothing: strings, names, dollar quotes, comments.
_OPAQUE = re.compile(
    r"""
    (?P<escape>\b[eE]'(?:[^'\\]|\\.|'')*')
    | (?P<string>'(?:[^']|'')*')
    | (?P<name>"(?:[^"]|"")*")
    | (?P<dollar>(?<![\w$])\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?\$(?P=tag)\$)
    | (?P<comment>--[^\n]*)
    | (?P<block>/\*)
    | (?P<end>;)
    """,
    re.VERBOSE | re.DOTALL,
)
_BLOCK = re.compile(r"/\*|\*/")


@dataclass(frozen=True)
class Statement:
    """One statement: its text, where it begins in the script (from 0), and its string literals."""

    text: str
    begin: int
    literals: tuple[tuple[int, str], ...]

    @property
    def words(self) -> str:
        """The statement in lower case without comments, for a look at its first words."""
        bare = re.sub(r"--[^\n]*|/\*.*?\*/", " ", self.text, flags=re.DOTALL)
        return " ".join(bare.lower().split())


def statements(script: str) -> Iterator[Statement]:
    """The statements of a script, without the semicolons and without what is only comment."""
    begin = at = 0
    literals: list[tuple[int, str]] = []
    while token := _OPAQUE.search(script, at):
        at = token.end()
        if token["block"]:
            at = _end_of_comment(script, at)
        elif token["end"]:
            yield from _statement(script, begin, token.start(), literals)
            begin, literals = at, []
        elif token["string"] or token["dollar"]:
            literals.append(_content(token))
    yield from _statement(script, begin, len(script), literals)


def _end_of_comment(script: str, at: int) -> int:
    depth = 1
    while depth and (mark := _BLOCK.search(script, at)):
        depth += 1 if mark[0] == "/*" else -1
        at = mark.end()
    return at if depth == 0 else len(script)


def _content(token: re.Match[str]) -> tuple[int, str]:
    """Where the text of a literal begins, and the text; a doubled quote counts as two characters."""
    quote = len(token["tag"]) + 2 if token["dollar"] else 1
    return token.start() + quote, token[0][quote:-quote]


def _statement(script: str, begin: int, end: int, literals: list[tuple[int, str]]) -> Iterator[Statement]:
    text = script[begin:end]
    begin += len(text) - len(text.lstrip())
    found = Statement(text.strip(), begin, tuple(literals))
    if found.words:
        yield found
