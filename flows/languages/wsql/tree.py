"""The statements of WSQL as values; each knows its place in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeAlias


@dataclass(frozen=True)
class Piece:
    """A part of a text: what it means, and where it is.

    `value` is None for NULL. `places` has where each character of the value is, if quotes are doubled in it.
    """

    value: str | None
    start: int
    end: int
    first: int = -1
    places: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        return self.value or ""

    def at(self, position: int | None) -> int:
        """Return where a character of the value is, by its position from 1."""
        if position is None:
            return self.start
        if self.places:
            return self.places[min(position, len(self.places)) - 1]
        return min((self.start if self.first < 0 else self.first) + position - 1, self.end)


@dataclass(frozen=True)
class Statement:
    """A statement, from `start` to `end` of the text."""

    start: int
    end: int
    defines: ClassVar[bool] = False


@dataclass(frozen=True)
class Defining(Statement):
    """A statement that changes the definition of the flow."""

    defines: ClassVar[bool] = True


@dataclass(frozen=True)
class CreateFlow(Statement):
    name: Piece
    password: Piece | None


@dataclass(frozen=True)
class CreateAttribute(Defining):
    name: Piece
    type: Piece | None
    options: tuple[Piece, ...]
    default: Piece | None


@dataclass(frozen=True)
class CreateTransition(Defining):
    name: Piece
    timeout: Piece | None
    by_person: bool = False
    role: Piece | None = None


@dataclass(frozen=True)
class CreateCondition(Defining):
    name: Piece
    predicate: Piece
    final: bool


@dataclass(frozen=True)
class CreateTrigger(Defining):
    name: Piece | None
    transition: Piece
    timeout: Piece | None
    condition: Piece
    predicate: Piece | None


@dataclass(frozen=True)
class SetFinal(Defining):
    condition: Piece


@dataclass(frozen=True)
class SetDefault(Defining):
    attribute: Piece
    value: Piece


@dataclass(frozen=True)
class SetTimeout(Defining):
    transition: Piece
    timeout: Piece


@dataclass(frozen=True)
class Enable(Defining):
    trigger: Piece
    enabled: bool


@dataclass(frozen=True)
class SetOf(Defining):
    """A set of the papers' notation: several statements in one."""

    letter: str
    items: tuple[Defining, ...]


@dataclass(frozen=True)
class CreateInstance(Statement):
    assignments: tuple[tuple[Piece, Piece], ...]


@dataclass(frozen=True)
class List(Statement):
    """`what` is the last word, `only` the word that restricts it, `wid` the instance."""

    what: str
    only: str
    wid: Piece | None


@dataclass(frozen=True)
class Block(Statement):
    word: str


@dataclass(frozen=True)
class Explain(Statement):
    statement: Statement


Statements: TypeAlias = tuple[Statement, ...]


def plain(statement: Defining) -> Iterator[Defining]:
    """Return a defining statement, or those that a set is."""
    if isinstance(statement, SetOf):
        yield from statement.items
    else:
        yield statement
