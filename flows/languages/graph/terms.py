"""The text form of a graph: the lists R and N and the start of the article about the BPE scheduler.

    R = [{r1, a, b}, {r2, b, c, "amount > 100"}, {r3, b, d, default}],
    N = [{b, [r1], [r2, r3], exclusive}],
    walk(R, N, {0, [r1], 1, []}).

N may be left out, or have some of the nodes; the fourth part of an edge is its condition or `default`,
that of a node its kind. `start = [r1]` is another way to write the start. % begins a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from flows.languages.graph.model import Path
from flows.languages.graph.problems import BadGraph, Problem

_TOKEN = re.compile(
    r'(?P<space>\s+|%[^\n]*)|(?P<name>[A-Za-z0-9_]+)|(?P<text>"(?:[^"\\]|\\.)*")|(?P<mark>->|[{}\[\](),=.])'
)
_CLOSING = {"{": "}", "[": "]", "(": ")"}
_DEEPEST = 5
_EDGE, _NODE = ("edge", "from", "to"), ("node", "in", "out", "type")


@dataclass(frozen=True)
class Token:
    """A name, a text in quotes, or a mark, and where it begins."""

    kind: str
    value: str
    start: int


@dataclass
class Term:
    """A name, a text, or a list or tuple of terms; `start` is where it begins."""

    value: Any
    start: int
    quoted: bool = False


@dataclass
class TermReader:
    """Reads the text from left to right."""

    text: str
    tokens: list[Token] = field(init=False)
    at: int = 0

    def __post_init__(self) -> None:
        self.tokens = [*_tokens(self.text), Token("end", "", len(self.text))]

    def fail(self, message: str, start: int) -> BadGraph:
        """Return the error for a place of the text."""
        return BadGraph([Problem("syntax", message, *place(self.text, start))])

    def next(self) -> Token:
        """Return the next token and go on."""
        token = self.tokens[self.at]
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def skip(self, *marks: str) -> bool:
        """Go over these marks if they come next."""
        found = [token.value for token in self.tokens[self.at : self.at + len(marks)]]
        if found == list(marks):
            self.at += len(marks)
            return True
        return False

    def term(self, depth: int = 0) -> Term:
        """Return the next term."""
        token = self.next()
        if token.kind == "name":
            return Term(token.value, token.start)
        if token.kind == "text":
            return Term(re.sub(r"\\(.)", r"\1", token.value[1:-1]), token.start, quoted=True)
        if token.value not in _CLOSING or depth == _DEEPEST:
            raise self.fail(f"A name, a list or a tuple is expected instead of {_shown(token)}.", token.start)
        return Term(list(self._inner(_CLOSING[token.value], depth)), token.start)

    def _inner(self, closing: str, depth: int) -> Iterator[Term]:
        if self.skip(closing):
            return
        while True:
            yield self.term(depth + 1)
            token = self.next()
            if token.value == closing and token.kind == "mark":
                return
            if token.value != ",":
                raise self.fail(f"“,” or “{closing}” is expected instead of {_shown(token)}.", token.start)


def content(text: str) -> tuple[dict[str, Any], dict[Path, int]]:
    """Return the content of the text in the form that files of YAML have, and where each part begins."""
    reader = TermReader(text)
    found: dict[str, Any] = {}
    places: dict[Path, int] = {}
    reader.skip("start", "(", ")", "->")
    while reader.tokens[reader.at].kind != "end":
        _statement(reader, found, places)
        if not (reader.skip(",") or reader.skip(".")) and reader.tokens[reader.at].kind != "end":
            token = reader.next()
            raise reader.fail(f"“,” or “.” is expected instead of {_shown(token)}.", token.start)
    return found, places


def _statement(reader: TermReader, found: dict[str, Any], places: dict[Path, int]) -> None:
    name = reader.next()
    lists = {"R": "edges", "N": "nodes", "start": "start"}
    if name.value == "walk":
        key, value = "start", _state(reader, name)
    elif name.value in lists and reader.skip("="):
        key, value = lists[name.value], reader.term()
    else:
        raise reader.fail(
            f"“R = [...]”, “N = [...]”, “start = [...]” or “walk(...)” is expected, not {_shown(name)}.",
            name.start,
        )
    if key in found:
        raise reader.fail(f"“{name.value}” gives the {key} a second time.", name.start)
    if not isinstance(value.value, list):
        raise reader.fail(f"“{name.value}” must be a list.", value.start)
    found[key] = [_item(reader, key, n, each, places) for n, each in enumerate(value.value)]
    places[(key,)] = value.start


def _state(reader: TermReader, name: Token) -> Term:
    """Return the threads of the state that a walk starts with: walk(R, N, {0, [r1], 1, []})."""
    call = reader.term().value
    state = call[-1].value if isinstance(call, list) and len(call) == 3 else None
    if not isinstance(state, list) or len(state) != 4 or not isinstance(state[1].value, list):
        raise reader.fail("The form is walk(R, N, {0, [first edges], 1, []}).", name.start)
    return state[1]


def _item(reader: TermReader, key: str, number: int, term: Term, places: dict[Path, int]) -> Any:
    places[key, number] = term.start
    if key == "start":
        return _names(term)
    parts = term.value
    least, most, names = (3, 4, _EDGE) if key == "edges" else (3, 4, _NODE)
    if not isinstance(parts, list) or not least <= len(parts) <= most:
        form = "{edge, from, to}" if key == "edges" else "{node, [incoming], [outgoing]}"
        raise reader.fail(f"The form is {form}.", term.start)
    item = {option: _names(part) for option, part in zip(names, parts, strict=False)}
    if key == "edges" and len(parts) == 4:
        last = parts[3]
        item |= {"condition": last.value} if last.quoted else {"default": last.value == "default"}
        if not last.quoted and last.value != "default":
            raise reader.fail("The fourth part of an edge is a condition in quotes, or default.", last.start)
    return item


def _names(term: Term) -> Any:
    return [_names(each) for each in term.value] if isinstance(term.value, list) else term.value


def _tokens(text: str) -> Iterator[Token]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise BadGraph([Problem("syntax", f"“{text[at]}” is not expected.", *place(text, at))])
        if match.lastgroup != "space":
            yield Token(str(match.lastgroup), match[0], at)
        at = match.end()


def place(text: str, start: int) -> tuple[int, int]:
    """Return line and column of a character, from 1."""
    before = text[:start]
    return before.count("\n") + 1, start - (before.rfind("\n") + 1) + 1


def _shown(token: Token) -> str:
    return "the end" if token.kind == "end" else f"“{token.value[:40]}”"
