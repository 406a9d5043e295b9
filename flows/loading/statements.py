"""Splits an SQL script into statements, so that each error has a line number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Tokens in which semicolons and dashes have no meaning: strings, names, dollar quotes, comments.
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
    """One statement of a script.

    `begin` counts from 0; `normalized` is the text in lower case without comments; `literals` are the
    positions and contents of its string literals.
    """

    text: str
    begin: int
    normalized: str
    literals: tuple[tuple[int, str], ...]


class _Draft:
    """A statement while it is read: where it begins, its comments and literals."""

    def __init__(self, begin: int) -> None:
        self.begin = begin
        self.comments: list[tuple[int, int]] = []
        self.literals: list[tuple[int, str]] = []

    def cut(self, script: str, end: int) -> Iterator[Statement]:
        """Yield the statement up to that position, unless there are only comments."""
        bare = script[self.begin : end]
        for first, last in self.comments:
            bare = bare[: first - self.begin] + " " * (last - first) + bare[last - self.begin :]
        lead = len(bare) - len(bare.lstrip())
        if lead < len(bare):
            begin = self.begin + lead
            normalized = " ".join(bare.lower().split())
            yield Statement(script[begin:end].rstrip(), begin, normalized, tuple(self.literals))


def statements(script: str) -> Iterator[Statement]:
    """Yield the statements of a script without their semicolons; skip those that are only comments."""
    draft, at = _Draft(0), 0
    while token := _OPAQUE.search(script, at):
        at = token.end()
        if token["block"]:
            at = _end_of_comment(script, at)
        if token["block"] or token["comment"]:
            draft.comments.append((token.start(), at))
        elif token["end"]:
            yield from draft.cut(script, token.start())
            draft = _Draft(at)
        elif token["string"] or token["dollar"]:
            draft.literals.append(_content(token))
    yield from draft.cut(script, len(script))


def _end_of_comment(script: str, at: int) -> int:
    depth = 1
    while depth and (mark := _BLOCK.search(script, at)):
        depth += 1 if mark[0] == "/*" else -1
        at = mark.end()
    return at if depth == 0 else len(script)


def _content(token: re.Match[str]) -> tuple[int, str]:
    """Return where the text of a literal begins, and the text; a doubled quote counts as two characters."""
    quote = len(token["tag"]) + 2 if token["dollar"] else 1
    return token.start() + quote, token[0][quote:-quote]
