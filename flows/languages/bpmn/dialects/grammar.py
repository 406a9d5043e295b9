"""The grammar that expressions of JUEL, Java, JavaScript, Groovy, Python and XPath have in common."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"\s*(?:(?P<text>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')|(?P<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d{1,2})?[LlFfDd]?(?!\w))"
    r"|(?P<name>[^\W\d]\w*(?::[^\W\d]\w*(?=\())?)|(?P<sign>===|!==|==|!=|<=|>=|<>|&&|\|\||[-+*/%<>=!?:()\[\].,]))"
)
_DEEPEST = 50
_WORDS = frozenset(
    {"and", "or", "not", "empty", "eq", "ne", "lt", "le", "gt", "ge", "is", "in", "div", "mod", "if", "else"}
)
_COMPARED = frozenset({"===", "!==", "==", "!=", "<=", ">=", "<>", "<", ">", "=", "in",
                       "eq", "ne", "lt", "le", "gt", "ge"})  # fmt: skip


class Foreign(ValueError):
    """A text is no expression that these languages have in common."""


@dataclass(frozen=True)
class Plain:
    """A number, a text or a name, as it is written."""

    kind: str
    text: str


@dataclass(frozen=True)
class Group:
    """An expression in brackets, or a list."""

    opened: str
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Chain:
    """Expressions with the signs between them, all of one precedence."""

    parts: tuple[Node, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True)
class Unary:
    """A sign or a word before an expression."""

    sign: str
    part: Node


@dataclass(frozen=True)
class Choice:
    """A condition with the values of both of its results."""

    condition: Node
    yes: Node
    no: Node


@dataclass(frozen=True)
class Member:
    """A part of a value by its name, behind a point, or the slash of a path."""

    value: Node
    name: str
    sign: str


@dataclass(frozen=True)
class Index:
    """A part of a value by an expression."""

    value: Node
    part: Node


@dataclass(frozen=True)
class Call:
    """A call of a function or a method, which is a name or a member."""

    function: Node
    arguments: tuple[Node, ...]


Node = Plain | Group | Chain | Unary | Choice | Member | Index | Call


def tree(text: str, *, paths: bool = False) -> Node:
    """Return an expression as a tree; in XPath a slash between names is a path. Raises Foreign."""
    grammar = _Grammar(_tokens(text), paths=paths)
    found = grammar.choice()
    if grammar.kind != "end":
        raise Foreign
    return found


def _tokens(text: str) -> list[tuple[str, str]]:
    found, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise Foreign
        kind = match.lastgroup or ""
        found.append((kind, match[kind]))
        at = match.end()
    return [*found, ("end", "")]


class _Grammar:
    def __init__(self, tokens: list[tuple[str, str]], *, paths: bool) -> None:
        self.tokens, self.at, self.depth, self.paths = tokens, 0, 0, paths

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0]

    @property
    def text(self) -> str:
        return "" if self.kind == "text" else self.tokens[self.at][1]

    def take(self, *texts: str) -> str:
        """Go on behind one of these words or signs, and return it; "" if another one is there."""
        found = self.text
        if self.kind == "end" or found not in texts:
            return ""
        self.at += 1
        return found

    def need(self, text: str) -> None:
        if not self.take(text):
            raise Foreign

    def choice(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Foreign
        found = self.chain(0)
        if self.take("?"):
            yes = self.choice()
            self.need(":")
            found = Choice(found, yes, self.choice())
        self.depth -= 1
        return found

    def chain(self, level: int) -> Node:
        """Read expressions with the signs of a level between them; later levels bind more tightly."""
        if level == len(_LEVELS):
            return self.unary()
        if level == _COMPARISON and self.take("not"):
            return Unary("not", self.chain(level))
        parts, signs = [self.chain(level + 1)], []
        while sign := self.sign(level):
            signs.append(sign)
            parts.append(self.chain(level + 1))
        return Chain(tuple(parts), tuple(signs)) if signs else parts[0]

    def sign(self, level: int) -> str:
        found = self.take(*_LEVELS[level])
        if found or level != _COMPARISON:
            return found
        if self.take("is"):
            return "is not" if self.take("not") else "is"
        return ""

    def unary(self) -> Node:
        sign = self.take("-", "!", "empty")
        return Unary(sign, self.unary()) if sign else self.parts(self.value())

    def parts(self, found: Node) -> Node:
        """Read the members, indexes and arguments that follow a value."""
        while True:
            sign = self.take(".") or (self.take("/") if self.paths and self.is_step(found) else "")
            if sign:
                found = Member(found, self.name(), sign)
            elif self.take("["):
                found = Index(found, self.choice())
                self.need("]")
            elif self.text == "(" and isinstance(found, Member | Plain) and self.take("("):
                found = Call(found, self.listed(")"))
            else:
                return found

    def is_step(self, found: Node) -> bool:
        """Return whether a slash here is one of a path: after a name or a call, before a name."""
        after = self.tokens[self.at + 1 : self.at + 2] or [("end", "")]
        return isinstance(found, Plain | Member | Call) and after[0][0] == "name"

    def name(self) -> str:
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind != "name":
            raise Foreign
        return text

    def listed(self, end: str) -> tuple[Node, ...]:
        found: list[Node] = []
        while not self.take(end):
            if found:
                self.need(",")
            found.append(self.choice())
        return tuple(found)

    def value(self) -> Node:
        kind, text = self.tokens[self.at]
        if kind == "sign" and self.take("(", "["):
            parts = self.listed({"(": ")", "[": "]"}[text])
            if text == "(" and len(parts) != 1:
                raise Foreign
            return Group(text, parts)
        if kind not in ("text", "number", "name") or (kind == "name" and text in _WORDS):
            raise Foreign
        self.at += 1
        return Plain(kind, text)


_LEVELS: tuple[tuple[str, ...], ...] = (
    ("||", "or"),
    ("&&", "and"),
    tuple(_COMPARED),
    ("+", "-"),
    ("*", "/", "%", "div", "mod"),
)
_COMPARISON = 2
