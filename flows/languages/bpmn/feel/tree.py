"""The tree of an expression of FEEL. Each node has the place of its first word, or of its sign."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Node:
    """A part of an expression."""

    position: int


@dataclass(frozen=True)
class Number(Node):
    """A number, as it is written."""

    text: str


@dataclass(frozen=True)
class Text(Node):
    """A text with its quotes and escapes."""

    text: str


@dataclass(frozen=True)
class Constant(Node):
    """One of true, false and null."""

    text: str


@dataclass(frozen=True)
class Name(Node):
    """A name as it is written; the words of one with blanks are joined by one."""

    text: str

    @property
    def key(self) -> str:
        """Return the name as that of an attribute."""
        return key_of(self.text)


def key_of(name: str) -> str:
    """Return a name as that of an attribute: in lower case, its words joined by `_`."""
    return name.lower().replace(" ", "_")


@dataclass(frozen=True)
class Negative(Node):
    """A number or duration with a minus."""

    part: Node


@dataclass(frozen=True)
class Contrary(Node):
    """The contrary of a truth value."""

    part: Node


@dataclass(frozen=True)
class Group(Node):
    """What is in parentheses."""

    part: Node


@dataclass(frozen=True)
class Joined(Node):
    """Two or more parts with `and`, or with `or`."""

    word: str
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Comparison(Node):
    """A comparison, with the sign of SQL; `place` is where its first part begins."""

    left: Node
    sign: str
    right: Node
    place: int


@dataclass(frozen=True)
class Calculation(Node):
    """A sum, a difference, a product, a quotient, or a power."""

    left: Node
    sign: str
    right: Node


@dataclass(frozen=True)
class Between(Node):
    """A test of two ends."""

    value: Node
    low: Node
    high: Node


@dataclass(frozen=True)
class InstanceOf(Node):
    """A test of the type of a value."""

    value: Node
    type: str


@dataclass(frozen=True)
class Range(Node):
    """A range, whose ends are within it or not."""

    low: Node
    high: Node
    with_low: bool = True
    with_high: bool = True


@dataclass(frozen=True)
class Test(Node):
    """A test of what is before `in`: `> 5`."""

    sign: str
    part: Node


@dataclass(frozen=True)
class Within(Node):
    """A test by `in`: one of the parts holds. `only` says that the part has no brackets around it."""

    value: Node
    parts: tuple[Node, ...]
    only: bool
    end: int


@dataclass(frozen=True)
class Choice(Node):
    """One of two values."""

    condition: Node
    yes: Node
    no: Node


@dataclass(frozen=True)
class Repetition(Node):
    """A value for each item of lists: `for`, `some` or `every`, names with their lists, and what is said."""

    word: str
    lists: tuple[tuple[str, Node], ...]
    part: Node


@dataclass(frozen=True)
class Items(Node):
    """A list that is written out."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Entries(Node):
    """A context that is written out."""

    parts: tuple[tuple[str, Node], ...]


@dataclass(frozen=True)
class Filter(Node):
    """An item, or some items, of a list."""

    of: Node
    part: Node


@dataclass(frozen=True)
class Path(Node):
    """A part of a context, or a property of a date."""

    of: Node
    key: str


@dataclass(frozen=True)
class Function(Node):
    """A function that is written out: the names of its arguments, and its result."""

    arguments: tuple[str, ...]
    part: Node


@dataclass(frozen=True)
class Call(Node):
    """A call of a function, whose arguments have names or not."""

    function: str
    parts: tuple[Node, ...]
    names: tuple[str, ...] = ()
