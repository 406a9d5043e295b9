"""Regular expressions of JavaScript as those of PostgreSQL that find the same texts.

A subset is translated: what both read alike, and what can be written in another way. Anything else, such as
look-around, references and classes of Unicode, is not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LONGEST, _MOST_SIGNS, _MOST_TIMES, _DEEPEST = 200, 1_000, 255, 20
"""What the kernel takes of a pattern, once it is written out."""
_CLASSES = {"d": "[0-9]", "D": "[^0-9]", "w": "[A-Za-z0-9_]", "W": "[^A-Za-z0-9_]", "s": r"\s", "S": r"\S"}
_IN_CLASS = {"d": "0-9", "w": "A-Za-z0-9_", "s": r"\s"}
_CONTROLS = frozenset("tnrfv")
_BOUND = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_HEX = re.compile(r"u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})")


class _Other(ValueError):
    """The expression is not in the subset."""


def translated(text: str) -> str:
    """Return an expression of JavaScript as one of PostgreSQL; "" for one that has none here."""
    reader = _Reader(text)
    try:
        found, signs = reader.branches(0)
    except (_Other, IndexError):
        return ""
    whole = reader.at == len(text) and text and len(found) <= _LONGEST and signs <= _MOST_SIGNS
    return found if whole else ""


@dataclass
class _Reader:
    text: str
    at: int = 0

    def branches(self, depth: int) -> tuple[str, int]:
        """Read alternatives up to a closing parenthesis or the end; return them and their signs."""
        if depth > _DEEPEST:
            raise _Other
        found, signs = "", 0
        while self.at < len(self.text) and self.text[self.at] != ")":
            if self.text[self.at] == "|":
                self.at, found = self.at + 1, found + "|"
                continue
            part, cost, repeats = self.part(depth)
            times, bound = self.repetition() if repeats else ("", 1)
            found, signs = found + part + times, signs + cost * bound
        return found, signs

    def part(self, depth: int) -> tuple[str, int, bool]:
        """Read one part; return it, its signs, and whether it can be repeated."""
        char = self.next()
        if char in "^$":
            return char, 1, False
        if char == "(":
            return (*self.group(depth), True)
        if char in "*+?" or ord(char) > 0xFFFF or char in "\n\r\0":
            raise _Other
        if char == "{" and _BOUND.match(self.text, self.at - 1):
            raise _Other
        if char == ".":
            return r"[^\n\r]", 1, True
        if char == "[":
            return self.one_of(), 1, True
        if char == "\\":
            return self.escape(), 1, True
        return f"\\{char}" if char in "{}]" else char, 1, True

    def group(self, depth: int) -> tuple[str, int]:
        if self.text.startswith("?", self.at):
            if not self.text.startswith("?:", self.at):
                raise _Other
            self.at += 2
        found, signs = self.branches(depth + 1)
        if self.next() != ")":
            raise _Other
        return f"(?:{found})", signs

    def repetition(self) -> tuple[str, int]:
        """Read how often a part is repeated; the sign for as seldom as possible does not matter."""
        bound = _BOUND.match(self.text, self.at)
        found, most = "", 1
        if bound:
            numbers = [int(each) for each in (bound[1], bound[3]) if each]
            if max(numbers) > _MOST_TIMES or numbers != sorted(numbers):
                raise _Other
            self.at, found, most = bound.end(), bound[0], max(1, *numbers)
        elif self.text[self.at : self.at + 1] in {"*", "+", "?"}:
            found = self.next()
        if found and self.text.startswith("?", self.at):
            self.at += 1
        return found, most

    def escape(self) -> str:
        char = self.next()
        if char in _CLASSES:
            return _CLASSES[char]
        return self.escaped(char)

    def escaped(self, char: str) -> str:
        """Return a character that is written with a backslash."""
        code = _HEX.match(self.text, self.at - 1)
        if code:
            self.at = code.end()
            return f"\\u{(code[1] or '00' + code[2]).lower()}"
        if char in _CONTROLS or (char.isascii() and not char.isalnum() and char not in "_\n\r\0"):
            return f"\\{char}"
        raise _Other

    def one_of(self) -> str:
        """Read the rest of a class of characters."""
        found = "^" if self.text.startswith("^", self.at) else ""
        self.at += len(found)
        items = ""
        while self.text[self.at] != "]":
            first, is_set = self.item()
            if self.text.startswith("-", self.at) and self.text[self.at + 1] != "]":
                self.at += 1
                last, is_other_set = self.item()
                if is_set or is_other_set or _code(first) > _code(last):
                    raise _Other
                first = f"{first}-{last}"
            items += first
        self.at += 1
        if not items:
            raise _Other
        return f"[{found}{items}]"

    def item(self) -> tuple[str, bool]:
        """Read one item of a class; return it, and whether it is a class itself."""
        char = self.next()
        if char == "\\":
            char = self.next()
            if char in _IN_CLASS:
                return _IN_CLASS[char], True
            if char in _CLASSES:
                raise _Other
            return self.escaped(char), False
        if ord(char) > 0xFFFF or char in "\n\r\0":
            raise _Other
        return char if char.isalnum() or not char.isascii() else f"\\{char}", False

    def next(self) -> str:
        self.at += 1
        return self.text[self.at - 1]


def _code(item: str) -> int:
    """Return the place of a character among all."""
    if item.startswith("\\u"):
        return int(item[2:], 16)
    controls = {"\\t": 9, "\\n": 10, "\\v": 11, "\\f": 12, "\\r": 13}
    return controls.get(item, ord(item[-1]))
