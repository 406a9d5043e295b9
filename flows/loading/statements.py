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
    """One statement: its text from the first word on, where that is in the script (from 0), its literals."""

    text: str
    begin: int
    words: str
    literals: tuple[tuple[int, str], ...]


class _Draft:
    """A statement while it is read: what was said so far, with comments blanked out."""

    def __init__(self, begin: int) -> None:
        self.begin = begin
        self.comments: list[tuple[int, int]] = []
        self.literals: list[tuple[int, str]] = []

    def cut(self, script: str, end: int) -> Iterator[Statement]:
        """The statement up to that place; nothing where there are only comments."""
        bare = script[self.begin : end]
        for first, last in self.comments:
            bare = bare[: first - self.begin] + " " * (last - first) + bare[last - self.begin :]
        lead = len(bare) - len(bare.lstrip())
        if lead < len(bare):
            begin = self.begin + lead
            words = " ".join(bare.lower().split())
            yield Statement(script[begin:end].rstrip(), begin, words, tuple(self.literals))


def statements(script: str) -> Iterator[Statement]:
    """The statements of a script, without the semicolons and without what is only comment."""
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
    """Where the text of a literal begins, and the text; a doubled quote counts as two characters."""
    quote = len(token["tag"]) + 2 if token["dollar"] else 1
    return token.start() + quote, token[0][quote:-quote]
