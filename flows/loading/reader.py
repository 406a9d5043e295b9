"""Reads the paper's form of a definition, SQL over wed_attr and wed_trig, without running it.

Read are INSERT INTO wed_attr and wed_trig with named columns and constants, UPDATE wedsql.flow SET with
constants, BEGIN and COMMIT: what `as_sql` writes, and what people write by hand. Everything else is rejected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from flows import json_text
from flows.definition import ATTRIBUTE, TRIGGER, Options
from flows.definition.files import NotReadable
from flows.definition.flow import FLOW
from flows.loading.statements import statements

LARGEST = 1_000_000  # characters
_TOKEN = re.compile(
    r"""\s+ | --[^\n]* | /\*.*?\*/
    | (?P<text>'(?:[^']|'')*') | \$(?P<tag>(?:[^\W\d]\w*)?)\$(?P<dollar>.*?)\$(?P=tag)\$
    | (?P<number>-?\d+(?:\.\d+)?) | (?P<word>[A-Za-z_][A-Za-z0-9_.]*) | (?P<sign>::|[(),;=\[\]])
    | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_TABLES = {"wed_attr": ("attributes", ATTRIBUTE), "wed_trig": ("triggers", TRIGGER)}
_SKIPPED = {"begin", "commit", "start", "end"}
_CONSTANTS = {"null": None, "true": True, "false": False, "default": None}


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    at: int


class _Reader:
    """The tokens of one statement."""

    def __init__(self, script: str, begin: int, text: str) -> None:
        self.script, self.tokens = script, list(_tokens(text, begin))
        self.end = Token("end", "", begin + len(text))

    def peek(self) -> Token:
        return self.tokens[0] if self.tokens else self.end

    def take(self, *wanted: str) -> Token:
        """Return the next token, which must be one of these words or signs, or of any kind without them."""
        found = self.peek()
        if wanted and found.text.lower() not in wanted:
            self.reject(found)
        self.tokens = self.tokens[1:]
        return found

    def reject(self, found: Token) -> None:
        """Raise NotReadable at a token."""
        line = self.script.count("\n", 0, found.at) + 1
        column = found.at - self.script.rfind("\n", 0, found.at)
        what = found.text[:40] or _("the end")
        text = _("“%(what)s” is not expected. Read are INSERT INTO wed_attr and wed_trig with named columns.")
        raise NotReadable(text % {"what": what}, line, column)

    def listed(self) -> Iterator[None]:
        """Yield before each item of a list in parentheses or brackets."""
        close = ")" if self.take("(", "[").text == "(" else "]"
        while self.peek().text != close:
            yield
            if self.peek().text != close:
                self.take(",")
        self.take(close)

    def value(self) -> Any:
        """Return a constant."""
        found = self.take()
        if found.kind in ("text", "dollar"):
            result: Any = found.text
        elif found.kind == "number":
            result = float(found.text) if "." in found.text else int(found.text)
        elif found.kind == "word" and found.text.lower() in _CONSTANTS:
            result = _CONSTANTS[found.text.lower()]
        elif found.kind == "word" and found.text.lower() == "array":
            result = [self.value() for _item in self.listed()]
        else:
            self.reject(found)
        while self.peek().text == "::":
            self.take()
            self.take()
            if self.peek().text == "[":
                list(self.listed())
        return result


def read_sql(script: str) -> dict[str, Any]:
    """Return the definition that a script would make. Raises NotReadable."""
    if len(script) > LARGEST:
        words = {"n": len(script), "most": LARGEST}
        raise NotReadable(_("The text has %(n)s characters; at most %(most)s are read.") % words)
    definition: dict[str, Any] = {"attributes": [], "triggers": []}
    for statement in statements(script):
        reader = _Reader(script, statement.begin, statement.text)
        first = reader.take("insert", "update", *_SKIPPED)
        if first.text.lower() == "insert":
            part, items = _inserted(reader)
            definition[part] += items
        elif first.text.lower() == "update":
            definition |= _settings(reader)
    return definition


def _inserted(reader: _Reader) -> tuple[str, list[dict[str, Any]]]:
    reader.take("into")
    part, options = _TABLES[reader.take(*_TABLES).text.lower()]
    names = [_option(reader, options) for _item in reader.listed()]
    reader.take("values")
    items = [_row(reader, names, options)]
    while reader.peek().text == ",":
        reader.take()
        items.append(_row(reader, names, options))
    reader.take("")
    return part, items


def _row(reader: _Reader, names: list[str], options: Options) -> dict[str, Any]:
    begin = reader.peek()
    values = [reader.value() for _item in reader.listed()]
    if len(values) != len(names):
        reader.reject(begin)
    return {name: _typed(value, options[name].type) for name, value in zip(names, values, strict=True)}


def _settings(reader: _Reader) -> dict[str, Any]:
    reader.take("wedsql.flow")
    reader.take("set")
    found: dict[str, Any] = {}
    while True:
        name = _option(reader, FLOW)
        reader.take("=")
        found[name] = _typed(reader.value(), FLOW[name].type)
        if reader.take(",", "where", "").text != ",":
            return found


def _option(reader: _Reader, options: Options) -> str:
    """Return the option whose column is named next."""
    known = {option.column: name for name, option in options.items()}
    return known[reader.take(*known).text.lower()]


def _typed(value: Any, kind: str) -> Any:
    """Return a constant as definitions have it: arrays may be written as '{a,b}', documents are JSON."""
    if kind == "text[]" and isinstance(value, str) and re.fullmatch(r'\{[^{}"\\]*\}', value):
        return [one.strip() for one in value[1:-1].split(",") if one.strip()]
    if kind == "jsonb" and isinstance(value, str):
        try:
            return json_text.decode(value)
        except (ValueError, RecursionError):
            return value  # what a draft keeps, with its problem
    return value


def _tokens(text: str, begin: int) -> Iterator[Token]:
    for found in _TOKEN.finditer(text):
        at = begin + found.start()
        if found["text"] is not None:
            yield Token("text", found["text"][1:-1].replace("''", "'"), at)
        elif found["dollar"] is not None:
            yield Token("dollar", found["dollar"], at)
        elif found.lastgroup in ("number", "word", "sign", "other"):
            yield Token(str(found.lastgroup), found[0], at)
