"""The grammar of filters: a text becomes a tree. Types are checked later, by flows.filters.checking.

    filter    = [ any ]
    any       = all { "or" all }
    all       = one { [ "and" ] one }
    one       = ( "not" | "-" ) one | "(" any ")" | condition
    condition = field sign value | field ( ":" | "!=" ) "(" value { "," value } ")"
              | field ":" [ value ] ".." [ value ] | field ":" "*" | ( "has:" | "no:" ) field | value
    sign      = ":" | "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "^"
    value     = plain text without space ( ) " , | text in quotation marks, with \\" and \\\\
"""

from __future__ import annotations

import re

from flows.filters.errors import BadFilter
from flows.filters.tree import WORD, And, Condition, Node, Not, Or

MAX_TEXT = 4_000
MAX_DEPTH = 12
MAX_CONDITIONS = 60
MAX_VALUES = 200
MAX_VALUE = 1_000

_SPACE = re.compile(r"\s*")
_KEYWORD = re.compile(r"(and|or|not)(?![^\s()])", re.IGNORECASE)
_FIELD = re.compile(r"([A-Za-z_][A-Za-z0-9_.]*)(!=|<=|>=|:|=|<|>|~|\^)")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
# A text that begins with a sign is quoted: "weight > 1" is no three words.
_SIGN = re.compile(r"!=|<=|>=|[:=<>~^]")
_BARE = re.compile(r'(?:(?!\.\.)[^\s()",])+')
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def read(text: str) -> Node | None:
    """Return the tree of a text, None for an empty one. Raises BadFilter."""
    if len(text) > MAX_TEXT:
        raise BadFilter("long_text", MAX_TEXT, len(text) - MAX_TEXT, limit=MAX_TEXT)
    for place, char in enumerate(text):
        if (char < " " and not char.isspace()) or "\ud800" <= char <= "\udfff":
            raise BadFilter("characters", place, 1)
    return _Reader(text).whole()


class _Reader:
    """Reads one text from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.conditions = 0

    def whole(self) -> Node | None:
        if not self._more():
            return None
        found = self._any(0)
        if self._more():
            raise BadFilter("close_group" if self.text[self.at] == ")" else "expected", self.at, 1)
        return found

    def _more(self) -> bool:
        """Skip spaces, and return whether something follows."""
        self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]
        return self.at < len(self.text)

    def _keyword(self) -> str:
        """Return the word that joins conditions and comes next, or ""."""
        found = _KEYWORD.match(self.text, self.at) if self._more() else None
        return found[1].lower() if found else ""

    def _any(self, depth: int) -> Node:
        parts = [self._all(depth)]
        while self._keyword() == "or":
            self.at += len("or")
            parts.append(self._all(depth))
        return parts[0] if len(parts) == 1 else Or(_flat(parts, Or))

    def _all(self, depth: int) -> Node:
        parts = [self._one(depth)]
        while self._more() and self.text[self.at] != ")" and self._keyword() != "or":
            if self._keyword() == "and":
                self.at += len("and")
            parts.append(self._one(depth))
        return parts[0] if len(parts) == 1 else And(_flat(parts, And))

    def _one(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise BadFilter("deep", self.at, 1, limit=MAX_DEPTH)
        keyword = self._keyword()
        if not self._more() or keyword in ("and", "or") or self.text[self.at] in "),":
            raise BadFilter("expected", self.at, 1)
        if keyword == "not" or self.text[self.at] == "-":
            self.at += len(keyword) or 1
            return Not(self._one(depth + 1))
        return self._group(depth) if self.text[self.at] == "(" else self._condition()

    def _group(self, depth: int) -> Node:
        opened, self.at = self.at, self.at + 1
        found = self._any(depth + 1)
        if not self._more() or self.text[self.at] != ")":
            raise BadFilter("open_group", opened, 1)
        self.at += 1
        return found

    def _condition(self) -> Node:
        start = self.at
        self.conditions += 1
        if self.conditions > MAX_CONDITIONS:
            raise BadFilter("many", start, 1, limit=MAX_CONDITIONS)
        named = _FIELD.match(self.text, start)
        if not named:
            if alone := _SIGN.match(self.text, start):
                raise BadFilter("sign", start, len(alone[0]), sign=alone[0])
            word = self._value(WORD)
            return Condition(WORD, "=", (word,), start, self.at - start)
        self.at = named.end()
        field, operator, values = self._compared(named[1].lower(), named[2])
        return Condition(field, operator, values, start, self.at - start)

    def _compared(self, field: str, sign: str) -> tuple[str, str, tuple[str | None, ...]]:
        """Return field, operator and values of what follows a sign."""
        equal = sign in (":", "=")
        if (equal or sign == "!=") and self.text[self.at : self.at + 1] == "(":
            return field, "=" if equal else "!=", self._list(field)
        if field in ("has", "no") and equal:
            return self._value(field).lower(), field, ()
        if equal and self.text.startswith("..", self.at):
            self.at += 2
            return field, "range", (None, self._value(field))
        quoted = self.text[self.at : self.at + 1] == '"'
        value = self._value(field)
        if equal and self.text.startswith("..", self.at):
            self.at += 2
            return field, "range", (value, self._value(field) if self._value_follows() else None)
        if equal and value == "*" and not quoted:
            return field, "has", ()
        return field, "=" if equal else sign, (value,)

    def _value_follows(self) -> bool:
        return self.at < len(self.text) and not (self.text[self.at].isspace() or self.text[self.at] in "(),")

    def _list(self, field: str) -> tuple[str, ...]:
        opened, self.at = self.at, self.at + 1
        values: list[str] = []
        while True:
            self._more()
            values.append(self._value(field))
            if len(values) > MAX_VALUES:
                raise BadFilter("many_values", opened, self.at - opened, limit=MAX_VALUES)
            end = self.text[self.at : self.at + 1] if self._more() else ""
            if end not in (",", ")"):
                raise BadFilter("expected" if end else "open_group", self.at if end else opened, 1)
            self.at += 1
            if end == ")":
                return tuple(values)

    def _value(self, field: str) -> str:
        """Return the value that begins here."""
        start = self.at
        quoted = self.text[start : start + 1] == '"'
        found = (_TEXT if quoted else _BARE).match(self.text, start)
        if not found:
            missing = "no_value" if field else "expected"
            raise BadFilter("open_text" if quoted else missing, start, 1, field=field)
        value = _ESCAPE.sub(r"\1", found[1]) if quoted else found[0]
        self.at = found.end()
        if len(value) > MAX_VALUE:
            raise BadFilter("long_value", start, self.at - start, limit=MAX_VALUE)
        if not value:
            raise BadFilter("no_value", start, self.at - start, field=field)
        return value


def _flat(parts: list[Node], kind: type[And] | type[Or]) -> tuple[Node, ...]:
    """Return the parts, with those of parts that are joined in the same way."""
    return tuple(
        each
        for part in parts
        for each in (part.parts if isinstance(part, And | Or) and isinstance(part, kind) else (part,))
    )
