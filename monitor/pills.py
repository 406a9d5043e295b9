"""The pills by which a page shows a filter, and the change of one of them.

A filter is shown as its parts, which all have to be met. Each is a pill, or a group of pills of which any has
to be met. In an address, `part=2` is the place of a part, `part=2.0` that of a pill in a group, `part=2.or` a
new pill of a group, which makes a group of a single pill, and `part=new` a new part.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from flows.filters import Condition, Filter, Node, Or
from flows.filters.fields import Field, fields
from flows.filters.translation import as_fields
from flows.filters.tree import WORD, all_of, alternatives, any_of, top
from flows.queries.definitions import FlowInfo
from monitor.labels import field_title, value_title
from pages.labels import OPERATOR_SHORT

_PLACE = re.compile(r"([0-9]{1,4})(?:\.([0-9]{1,4}|or))?")
# Stands for a text that is not read yet.
_UNREAD = Condition(WORD, "=", ("\ue000",))


@dataclass(frozen=True)
class Pill:
    """A condition of a filter: its title, its text, and the fields of a form that changes it, if one can.

    `without` is the address of the list without it. A group has `members` and no title.
    """

    place: str
    text: str
    without: str
    title: str = ""
    operator: str = ""
    value: str = ""
    name: str = ""
    code: str = ""
    shown: str = ""
    members: tuple[Pill, ...] = ()

    @property
    def key(self) -> str:
        """Return the place as a part of the identifiers of elements."""
        return self.place.replace(".", "-")

    @property
    def grouped(self) -> bool:
        return "." in self.place


def changed(tree: Node | None, place: str, node: Node | None) -> Node | None:
    """Return the tree with another node in a place, or without that place; in no place, behind all parts."""
    parts = list(top(tree))
    found = _PLACE.fullmatch(place)
    if found is None or int(found[1]) >= len(parts):
        return all_of(tree, node)
    at = int(found[1])
    changed_part = _changed_member(parts[at], found[2], node) if found[2] else node
    return all_of(*parts[:at], changed_part, *parts[at + 1 :])


def _changed_member(part: Node, member: str, node: Node | None) -> Node | None:
    members = alternatives(part)
    at = len(members) if member == "or" else int(member)
    return any_of(*members[:at], node, *members[at + 1 :])


def rewritten(tree: Node | None, place: str, text: str) -> str:
    """Return the text of the tree with a text in a place that is still to be read."""
    before, _mark, after = _text(changed(tree, place, _UNREAD)).partition(_UNREAD.text())
    return f"{before}({text}){after}"


def pills(found: Filter, flow: FlowInfo | None, address: Callable[[str], str]) -> list[Pill]:
    """Return a pill or a group for each part; `address` returns that of the list of a filter's text."""
    known = {each.written: each for each in fields(flow)}

    def shown(place: str, part: Node) -> Pill:
        pill = _pill(Pill(place, part.text(), address(_text(changed(found.tree, place, None)))), part, known)
        if not isinstance(part, Or):
            return pill
        return replace(
            pill, members=tuple(shown(f"{place}.{at}", each) for at, each in enumerate(part.parts))
        )

    return [shown(str(at), part) for at, part in enumerate(found.parts)]


def _pill(pill: Pill, part: Node, known: dict[str, Field]) -> Pill:
    """Return the pill with its title and the fields of its form."""
    fields = as_fields(part)
    if fields is None or fields[0] not in known or "\n" in fields[2]:
        return replace(pill, title=pill.text)
    name, code, value = fields
    return replace(
        pill, title=field_title(known[name]), operator=str(OPERATOR_SHORT[code]), value=value, name=name,
        code=code, shown=value_title(known[name], value),
    )  # fmt: skip


def _text(tree: Node | None) -> str:
    return tree.text() if tree else ""
