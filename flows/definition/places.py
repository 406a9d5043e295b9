"""A definition read from a text together with where in the text each part of it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml
from django.utils.translation import gettext as _

from flows import json_text
from flows.definition.attribute import ATTRIBUTE
from flows.definition.files import FORMATS, NotReadable, node_of
from flows.definition.flow import FLOW
from flows.definition.options import Options
from flows.definition.trigger import TRIGGER

LARGEST = 1_000_000  # characters of a text
DEEPEST = 50  # lists and objects within each other
Path = tuple[str | int, ...]
_KINDS: tuple[tuple[str, Options], ...] = (("attributes", ATTRIBUTE), ("triggers", TRIGGER))


@dataclass(frozen=True)
class Place:
    """A part of a text: its line and column from 1, and the characters that it has, counted from 0."""

    line: int
    column: int
    start: int
    end: int


@dataclass(frozen=True)
class Located:
    """A definition and the text that it was read from."""

    definition: dict[str, Any]
    text: str = field(repr=False)
    nodes: dict[Path, yaml.Node] = field(repr=False)

    def place(
        self, path: Sequence[str | int], position: int | None = None, length: int | None = None
    ) -> Place:
        """Return where a part of the definition is, or else the nearest part around it.

        `position` is that of a character in a text of the definition, from 1.
        """
        path = tuple(path)
        while path and path not in self.nodes:
            path, position = path[:-1], None
        node = self.nodes.get(path)
        if node is None:
            return self._at(0, 0)
        start, end = node.start_mark.index, node.end_mark.index
        if position is not None and isinstance(node, yaml.ScalarNode):
            places = _characters(node, self.text[start:end])
            if places and position <= len(places):
                last = min(position - 1 + max(length or 1, 1), len(places)) - 1
                return self._at(start + places[position - 1], start + places[last] + 1)
        if not isinstance(node, yaml.ScalarNode):
            end = start + len(self.text[start:end].partition("\n")[0])
        return self._at(start, end)

    def _at(self, start: int, end: int) -> Place:
        before = self.text[:start]
        line = before.count("\n")
        return Place(line + 1, start - (before.rfind("\n") + 1) + 1, start, end)


def read(text: str, name: str) -> Located:
    """Read a text in the format "yaml" or "json". Raises NotReadable."""
    if len(text) > LARGEST:
        words = {"n": len(text), "most": LARGEST}
        raise NotReadable(_("The text has %(n)s characters; at most %(most)s are read.") % words)
    format_ = FORMATS[name]
    definition: Any = format_.parse(text)
    if reason := unstorable(definition):
        raise NotReadable(reason)
    nodes: dict[Path, yaml.Node] = {}
    try:
        root = node_of(text)
    except (ValueError, RecursionError, yaml.YAMLError):  # JSON that is no YAML has no places
        root = None
    if root is not None:
        nodes = dict(nodes_of(root, ()))
    _need_lists(definition, nodes)
    return Located(definition, text, nodes)


def unstorable(content: Any) -> str:
    """Return why JSON in PostgreSQL cannot have a value; empty if it can.

    It has no dates, infinity, character 0, half characters, and lists within each other without end.
    """
    if depth(content) > DEEPEST:
        return _("Lists and objects are within each other more than %(n)s times.") % {"n": DEEPEST}
    try:
        text = json_text.encode(content, allow_nan=False)
        text.encode()
    except (TypeError, ValueError) as error:
        return _("A value cannot be stored: %(error)s") % {"error": error}
    if "\\u0000" in text.replace("\\\\", ""):
        return _("The character 0 cannot be stored.")
    return ""


def depth(value: Any) -> int:
    """Return how many lists and objects are within each other."""
    found, level = 0, [value]
    while level:
        found += 1
        level = [
            inner
            for each in level
            if isinstance(each, (dict, list))
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return found


def _need_lists(definition: dict[str, Any], nodes: dict[Path, yaml.Node]) -> None:
    """Reject a text whose lists are no lists of objects: a draft keeps everything else."""
    for part, _options in _KINDS:
        items = definition.get(part)
        if not isinstance(items, list):
            raise NotReadable(_("It has no list “%(list)s”.") % {"list": part}, 1, 1)
        for place, item in enumerate(items):
            if not isinstance(item, dict):
                mark = nodes[part, place].start_mark if (part, place) in nodes else None
                where = (mark.line + 1, mark.column + 1) if mark else (0, 0)
                text = _("Item %(n)s of the list “%(list)s” is no object with options.")
                raise NotReadable(text % {"n": place + 1, "list": part}, *where)


def nodes_of(node: yaml.Node, path: Path) -> Iterator[tuple[Path, yaml.Node]]:
    """Return each part of a tree with its path."""
    yield path, node
    if isinstance(node, yaml.MappingNode):
        for key, inner in node.value:
            yield from nodes_of(inner, (*path, str(key.value)))
    elif isinstance(node, yaml.SequenceNode):
        for place, inner in enumerate(node.value):
            yield from nodes_of(inner, (*path, place))


def _characters(node: yaml.ScalarNode, raw: str) -> list[int]:
    """Return where in the text of a scalar each of its characters is; empty where that is not known."""
    return _literal(node.value, raw) if node.style == "|" else _flowing(node.value, raw, node.style)


def _literal(value: str, raw: str) -> list[int]:
    """Return the places in a block of lines, of which each has the same indentation."""
    found: list[int] = []
    start = raw.find("\n") + 1
    indent = len(raw[start:]) - len(raw[start:].lstrip(" "))
    for line in value.rstrip("\n").split("\n"):
        if not raw.startswith(line, start + indent):
            return []
        found += range(start + indent, start + indent + len(line) + 1)
        start = raw.find("\n", start) + 1
    return found


_ESCAPED = {"x": 4, "u": 6, "U": 10}


def _flowing(value: str, raw: str, style: str | None) -> list[int]:
    """Return the places in a text with or without quotes, in which a line end is a space."""
    found: list[int] = []
    at = 1 if style else 0
    for character in value:
        found.append(at)
        if at >= len(raw):
            return []
        if style == '"' and raw[at] == "\\":
            at += _ESCAPED.get(raw[at + 1], 2)
        elif raw[at] == character:
            at += 2 if style == character == "'" else 1
        elif character == " " and raw[at] == "\n":
            at += len(raw[at:]) - len(raw[at:].lstrip())
        else:
            return []
    return found if at == len(raw) - (1 if style else 0) else []


def write(definition: dict[str, Any], name: str) -> str:
    """Return the text of a definition without its numbers, with what it has besides the known options."""
    whole = _ordered(definition, FLOW)
    for part, options in _KINDS:
        whole.pop(part, None)
        whole[part] = [_ordered(item, options) for item in definition[part]]
    return FORMATS[name].dump(whole)


def _ordered(values: dict[str, Any], options: Options) -> dict[str, Any]:
    first = [each for each in options if each in values]
    return {each: values[each] for each in (*first, *values) if each != "id"}
