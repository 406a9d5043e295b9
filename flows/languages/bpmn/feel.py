"""FEEL's simple subset, and that of the expression language of Camunda 7, as SQL.

Comparisons, `and`, `or`, `not(...)`, `in` with lists and ranges, `between`, numbers, strings, true, false,
null, dates, and sums of them. Names are attributes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+(?:\.[0-9]+)?|\.[0-9]+)|(?P<string>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')"
    r"|(?P<moment>date and time|date|duration)\s*(?=\()"
    r"|(?P<name>[^\W\d]\w*)|(?P<sign>\.\.|<=|>=|!=|==|&&|\|\||[-+*/()\[\]<>=!,.]))"
)
_COMPARED = {"=": "=", "==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_WORDS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_MOMENTS = {"date": "date", "date and time": "timestamptz", "duration": "interval"}
_LONGEST, _DEEPEST = 4_000, 50


class NotSimple(ValueError):
    """An expression is not in the subset; `position` counts its characters from 1."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


@dataclass(frozen=True)
class _Word:
    kind: str
    text: str
    position: int


def to_sql(text: str) -> str:
    """Return an expression as SQL. Raises NotSimple."""
    if len(text) > _LONGEST:
        raise NotSimple(f"It has more than {_LONGEST} characters.", 1)
    parser = _Parser(_words(text))
    try:
        found = parser.either()
    except RecursionError as error:
        raise NotSimple("It is nested too deeply.", 1) from error
    parser.need("", "the end")
    return found


def _words(text: str) -> list[_Word]:
    found, at = [], 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            raise NotSimple(f"“{text[at : at + 20]}” is not understood.", at + 1)
        kind = match.lastgroup or ""
        found.append(_Word(kind, match[kind], match.start(kind) + 1))
        at = match.end()
    return [*found, _Word("end", "", len(text) + 1)]


class _Parser:
    def __init__(self, words: list[_Word]) -> None:
        self.words, self.at, self.depth = words, 0, 0

    @property
    def word(self) -> _Word:
        return self.words[self.at]

    def is_(self, *texts: str) -> bool:
        return self.word.kind != "string" and self.word.text in texts

    def take(self, *texts: str) -> bool:
        """Go on if the present word is one of these."""
        found = self.is_(*texts)
        self.at += found
        return found

    def need(self, text: str, what: str = "") -> None:
        if not (self.word.kind == "end" if not text else self.take(text)):
            got = f"“{self.word.text[:20]}”" if self.word.text else "the end"
            raise NotSimple(f"{what or f'“{text}”'} is expected, not {got}.", self.word.position)

    def either(self) -> str:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotSimple(f"It is nested more than {_DEEPEST} times.", self.word.position)
        parts = [self.both()]
        while self.take("or", "||"):
            parts.append(self.both())
        self.depth -= 1
        return " or ".join(parts)

    def both(self) -> str:
        parts = [self.negated()]
        while self.take("and", "&&"):
            parts.append(self.negated())
        return " and ".join(parts)

    def negated(self) -> str:
        if self.take("!"):
            return f"not ({self.negated()})"
        return self.compared()

    def compared(self) -> str:
        left = self.sum()
        sign = _COMPARED.get(self.word.text) or _WORDS.get(self.word.text)
        if sign and self.word.kind in ("sign", "name"):
            self.at += 1
            return _compare(_operand(left), sign, self.operand())
        if self.take("between"):
            low = self.operand()
            self.need("and")
            return f"{_operand(left)} between {low} and {self.operand()}"
        if self.take("in"):
            return self.within(_operand(left))
        return left

    def operand(self) -> str:
        return _operand(self.sum())

    def within(self, left: str) -> str:
        """Return the test of a list of values, or of a range whose ends are within it or not."""
        if not self.is_("(", "[", "]"):
            return f"{left} = {self.operand()}"
        opened = self.word.text
        self.at += 1
        values = [self.operand()]
        if self.take(".."):
            values.append(self.operand())
            low = f"{left} {'>=' if opened == '[' else '>'} {values[0]}"
            closed = self.word.text
            if not self.take("]", ")", "["):
                self.need("]")
            return f"({low} and {left} {'<=' if closed == ']' else '<'} {values[1]})"
        while self.take(","):
            values.append(self.operand())
        self.need(")" if opened == "(" else "]")
        return f"{left} in ({', '.join(values)})"

    def sum(self) -> str:
        found = self.product()
        while self.is_("+", "-"):
            sign = self.word.text
            self.at += 1
            found = f"{found} {sign} {self.product()}"
        return found

    def product(self) -> str:
        found = self.value()
        while self.is_("*", "/"):
            sign = self.word.text
            self.at += 1
            right = self.value()
            found = f"{found} * {right}" if sign == "*" else _quotient(found, right)
        return found

    def value(self) -> str:
        word = self.word
        self.at += word.kind != "end"
        if word.kind == "string":
            return _quoted(word.text)
        if word.kind == "moment":
            return self.moment(word)
        if word.text == "-":
            return f"-{_after_sign(self.value())}"
        if word.text in ("(", "not"):
            return self.grouped(word)
        if word.kind == "name" and self.is_("(", "."):
            raise NotSimple(f"“{word.text}{self.word.text}” is not in the subset.", word.position)
        if word.kind not in ("name", "number"):
            got = f"“{word.text}”" if word.text else "the end"
            raise NotSimple(f"A value is expected, not {got}.", word.position)
        return word.text.lower()

    def moment(self, word: _Word) -> str:
        """Return a date, a point in time or a duration that is written as a text."""
        self.need("(")
        given = self.word
        if given.kind != "string":
            raise NotSimple(f"A text in quotes is expected after “{word.text}(”.", given.position)
        self.at += 1
        self.need(")")
        return f"{_MOMENTS[word.text]} {_quoted(given.text)}"

    def grouped(self, word: _Word) -> str:
        """Return what is in parentheses, or the contrary of it."""
        if word.text == "not":
            self.need("(")
        inner = self.either()
        self.need(")")
        if word.text == "not":
            return f"not ({inner})"
        return inner if inner == "null" else f"({inner})"


def _compare(left: str, sign: str, right: str) -> str:
    if "null" in (left, right) and sign in ("=", "<>"):
        return f"{left if right == 'null' else right} is {'not ' if sign == '<>' else ''}null"
    return f"{left} {sign} {right}"


def _operand(text: str) -> str:
    """Return a part of a comparison; `not` in SQL would be about all of the comparison."""
    return f"({text})" if text.startswith("not ") else text


def _after_sign(text: str) -> str:
    """Return what follows a minus; two of them begin a comment in SQL."""
    return f"({text})" if text.startswith("-") else text


def _quotient(left: str, right: str) -> str:
    """Return a quotient with its decimals, which SQL cuts off where both numbers are whole."""
    return f"{left} / {right}.0" if right.isdecimal() else f"{left} * 1.0 / {right}"


def _quoted(text: str) -> str:
    inner = re.sub(r"\\(.)", lambda found: _ESCAPED.get(found[1], found[1]), text[1:-1])
    return "'" + inner.replace("'", "''") + "'"
