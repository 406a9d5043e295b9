"""Definitions as JSON and YAML; reading a written file gives exactly the same definition."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

import yaml

from flows import json_text
from flows.definition.attribute import ATTRIBUTE
from flows.definition.flow import FLOW, Definition
from flows.definition.options import Options
from flows.definition.trigger import TRIGGER

_MOST_DIGITS = 1_000


class NotReadable(ValueError):
    """A text is not valid JSON or YAML, or contains no definition; `line` is 0 if it is unknown."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.line, self.column = line, column


@dataclass(frozen=True)
class Format:
    """A file format of definitions."""

    name: str
    read: Callable[[str], Any]
    dump: Callable[[Mapping[str, Any]], str]
    ordered: bool = True

    def parse(self, text: str) -> Definition:
        """Read a definition without checking its content, which the kernel does. Raises NotReadable."""
        found = self.content(text)
        if not isinstance(found, dict):
            raise NotReadable("no definition: it must be an object with attributes and triggers", 1)
        return cast(Definition, found)

    def content(self, text: str) -> Any:
        """Return the content of a text. Raises NotReadable."""
        try:
            return self.read(text)
        except (ValueError, RecursionError, yaml.YAMLError) as error:
            raise NotReadable(f"not {self.name}: {_problem(error)}", *_place(error, text)) from error

    def write(self, definition: Definition) -> str:
        """Return the text of a definition, with its options in the order of their declaration."""
        return self.dump(in_order(definition) if self.ordered else definition)


def in_order(definition: Definition) -> dict[str, Any]:
    """Return the definition with its options in the order of their declaration."""
    first = {name: value for name, value in definition.items() if name in ("flow", "version")}
    return {
        **first,
        **_ordered(definition, FLOW),
        "attributes": [_ordered(attribute, ATTRIBUTE) for attribute in definition["attributes"]],
        "triggers": [_ordered(trigger, TRIGGER) for trigger in definition["triggers"]],
    }


def without_numbers(definition: Mapping[str, Any]) -> Definition:
    """Return the definition as files have it: the numbers of attributes and triggers are one database's."""
    kept = {
        name: [_unnumbered(each) for each in part] if isinstance(part, list) else part
        for name, part in definition.items()
    }
    return cast(Definition, kept)


def _unnumbered(item: Any) -> Any:
    return {key: item[key] for key in item if key != "id"} if isinstance(item, dict) else item


def _ordered(values: Mapping[str, Any], options: Options) -> dict[str, Any]:
    return {name: values[name] for name in options if name in values}


class _Loader(yaml.composer.Composer, yaml.CSafeLoader):
    """A loader for the types of a definition: 00:05:00, 1.5 and on are texts.

    Aliases and repeated keys are errors. libyaml reads the text, and Python makes nodes and values of it.
    """

    yaml_implicit_resolvers: dict[str, Any] = {}

    def __init__(self, text: str) -> None:
        yaml.CSafeLoader.__init__(self, text)
        yaml.composer.Composer.__init__(self)

    def dispose(self) -> None:
        """Do nothing: libyaml frees what it used."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark: Any = getattr(self.peek_event(), "start_mark", None)
            raise yaml.composer.ComposerError(None, None, "aliases are not read", mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen: set[str] = set()
        for key, _value in node.value:
            if str(key.value) in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"{key.value} is there twice", key.start_mark
                )
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)

    def construct_whole(self, node: Any) -> int:
        try:
            return _whole(str(node.value))
        except ValueError as error:
            raise yaml.constructor.ConstructorError(None, None, str(error), node.start_mark) from error


# libyaml writes these two as line ends of YAML 1.1, which a reader of YAML 1.2 takes for parts of the text.
_SEPARATORS = re.compile("[\u2028\u2029]")


class _Dumper(yaml.CSafeDumper):
    """A dumper that writes no aliases, and texts of several lines as literal blocks."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def represent_text(self, text: str) -> Any:
        lines = text.split("\n")
        style = "|" if len(lines) > 1 and all(line == line.strip() and line for line in lines[:-1]) else None
        style = '"' if _SEPARATORS.search(text) else style
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    def represent_number(self, number: Decimal) -> Any:
        return self.represent_scalar("tag:yaml.org,2002:float", json_text.digits(number))


_Dumper.add_representer(str, _Dumper.represent_text)
_Dumper.add_representer(Decimal, _Dumper.represent_number)
for _tag, _pattern, _first in (
    ("null", r"~|null|", ["~", "n", ""]),
    ("bool", r"true|false", ["t", "f"]),
    ("int", r"-?(?:0|[1-9][0-9]*)", list("-0123456789")),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), _first)


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_whole)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, _value in pairs if [other for other, _ in pairs].count(key) > 1)
        raise ValueError(f"“{twice}” is there twice")
    return found


def _whole(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"a number has more than {_MOST_DIGITS} digits")
    return int(text)


def _problem(error: BaseException) -> str:
    """Return the message of a parser's error, without the place."""
    if isinstance(error, RecursionError):
        return "lists and objects are within each other too many times"
    if isinstance(error, json.JSONDecodeError):
        return error.msg
    if isinstance(error, yaml.MarkedYAMLError):
        return " ".join(filter(None, (error.context, error.problem)))
    if isinstance(error, yaml.reader.ReaderError):
        return "control characters are not allowed"
    return str(error)


def _place(error: BaseException, text: str) -> tuple[int, int]:
    """Return line and column of an error; of JSON without them, those that a reader of YAML finds."""
    mark = getattr(error, "problem_mark", None)
    if mark:
        return mark.line + 1, mark.column + 1
    if isinstance(error, yaml.reader.ReaderError):
        before = text.encode()[: error.position].decode(errors="ignore")
        return before.count("\n") + 1, len(before) - before.rfind("\n")
    if hasattr(error, "lineno") or not isinstance(error, ValueError):
        return getattr(error, "lineno", 0), getattr(error, "colno", 0)
    try:
        yaml.load(text, _Loader)  # noqa: S506 - made of SafeLoader
    except (ValueError, RecursionError, yaml.YAMLError) as same:
        mark = getattr(same, "problem_mark", None)
    return (mark.line + 1, mark.column + 1) if mark else (0, 0)


def node_of(text: str) -> yaml.Node | None:
    """Return the root of the tree that a text in YAML has, with the place of each of its parts."""
    return _Loader(text).get_single_node()


def _dump_yaml(values: Mapping[str, Any]) -> str:
    return yaml.dump(dict(values), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


JSON = Format(
    "JSON",
    lambda text: json.loads(
        text, object_pairs_hook=_unique, parse_float=json_text.fraction, parse_int=_whole
    ),
    lambda values: json_text.encode(values, indent=2),
    ordered=False,
)
YAML = Format("YAML", lambda text: yaml.load(text, _Loader), _dump_yaml)  # noqa: S506 - made of SafeLoader
FORMATS = {"json": JSON, "yaml": YAML, "yml": YAML}
