"""FEEL's simple subset, and that of the expression language of Camunda 7, as SQL.

Comparisons, `and`, `or`, `not(...)`, `in` with lists and ranges, `between`, numbers, strings, true, false,
null, dates, and sums of them. Names are attributes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from flows.languages.bpmn.feel_quantifiers import NoPath, Paths, quantified
from flows.languages.bpmn.feel_values import (
    NUMBERS,
    UNTEXTUAL,
    WRITTEN,
    Part,
    added,
    divided,
    literal,
    multiplied,
    negative,
    text_of,
)

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+(?:\.[0-9]+)?|\.[0-9]+)|(?P<string>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')"
    r"|(?P<moment>date\s+and\s+time|date|duration)\s*(?=\()"
    r"|(?P<name>[^\W\d]\w*)|(?P<sign>\.\.|<=|>=|!=|==|&&|\|\||[-+*/()\[\]<>=!,.]))"
)
_COMPARED = {"=": "=", "==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_WORDS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
# What begins the other forms of FEEL.
_FORMS = frozenset({"if", "some", "every", "for", "function"})
_LITERALS = frozenset({"true", "false", "null"})
_KEYWORDS = _LITERALS | _FORMS | _WORDS.keys() | {
    "and", "or", "not", "in", "between", "then", "else", "satisfies", "return", "instance"
}  # fmt: skip
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


def to_sql(text: str, types: Mapping[str, str] | None = None) -> str:
    """Return an expression as SQL; `types` are those of attributes. Raises NotSimple."""
    if len(text) > _LONGEST:
        raise NotSimple(f"It has more than {_LONGEST} characters.", 1)
    parser = _Parser(_words(text), types or {})
    try:
        found = parser.either()
    except RecursionError as error:
        raise NotSimple("It is nested too deeply.", 1) from error
    parser.need("", "the end")
    return found


def names_in(text: str) -> frozenset[str]:
    """Return the names of attributes in an expression, in lower case, as far as it is understood."""
    try:
        parser = _Parser(_words(text[:_LONGEST]), {})
        with suppress(NotSimple, RecursionError):
            parser.either()
    except NotSimple:
        return frozenset()
    return frozenset(parser.names) - {"true", "false", "null"}


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
    def __init__(self, words: list[_Word], types: Mapping[str, str]) -> None:
        self.words, self.types, self.at, self.depth = words, types, 0, 0
        self.names: set[str] = set()

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

    def either(self) -> Part:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotSimple(f"It is nested more than {_DEEPEST} times.", self.word.position)
        parts = [self.both()]
        while self.take("or", "||"):
            parts.append(self.both())
        self.depth -= 1
        return _joined(" or ", parts)

    def both(self) -> Part:
        parts = [self.negated()]
        while self.take("and", "&&"):
            parts.append(self.negated())
        return _joined(" and ", parts)

    def negated(self) -> Part:
        if self.take("!"):
            return Part(f"not ({self.negated()})", "boolean")
        return self.compared()

    def compared(self) -> Part:
        place = self.word.position
        left = self.sum()
        sign = _COMPARED.get(self.word.text) or _WORDS.get(self.word.text)
        if sign and self.word.kind in ("sign", "name"):
            self.at += 1
            right = self.operand()
            self.check_compared([left, right], place)
            return Part(_compare(_operand(left), sign, right), "boolean")
        if self.take("between"):
            low = self.operand()
            self.need("and")
            high = self.operand()
            self.check_compared([left, low, high], place)
            return Part(f"{_operand(left)} between {low} and {high}", "boolean")
        if self.take("in"):
            return Part(self.within(_operand(left)), "boolean")
        return left

    def check_compared(self, parts: list[Part], place: int) -> None:
        """Reject a comparison that has no answer in FEEL, and has one in SQL."""
        if {True, False} <= {part.months for part in parts}:
            raise NotSimple("A duration of months is not comparable with one of days.", place)
        text = next((part for part in parts if part.startswith("'")), None)
        other = next((part for part in parts if part.type in UNTEXTUAL), None)
        if text is not None and other is not None:
            raise NotSimple(
                f"The text {text[:40]} is not comparable with a value of type {other.type}.", place
            )

    def check_sum(self, left: Part, right: Part, place: int) -> None:
        """Reject a sum that has no value in FEEL, and has one in SQL."""
        if {True, False} <= {left.months, right.months}:
            raise NotSimple("A duration of months and one of days have no sum.", place)
        if "date" in (left.type, right.type) and NUMBERS & {left.type, right.type}:
            raise NotSimple('A date and a number have no sum; add a duration such as duration("P1D").', place)

    def operand(self) -> Part:
        return _operand(self.sum())

    def within(self, left: Part) -> str:
        """Return the test of a list of values, or of a range whose ends are within it or not."""
        if not self.is_("(", "[", "]"):
            only = self.operand()
            self.check_compared([left, only], self.word.position)
            return f"{left} = {only}"
        opened = self.word.text
        self.at += 1
        values = [self.operand()]
        if self.take(".."):
            values.append(self.operand())
            self.check_compared([left, *values], self.word.position)
            low = f"{left} {'>=' if opened == '[' else '>'} {values[0]}"
            closed = self.word.text
            if not self.take("]", ")", "["):
                self.need("]")
            return f"({low} and {left} {'<=' if closed == ']' else '<'} {values[1]})"
        while self.take(","):
            values.append(self.operand())
        self.check_compared([left, *values], self.word.position)
        self.need(")" if opened == "(" else "]")
        return f"{left} in ({', '.join(values)})"

    def sum(self) -> Part:
        found = self.product()
        while self.is_("+", "-"):
            word = self.word
            self.at += 1
            right = self.product()
            self.check_sum(found, right, word.position)
            found = added(found, word.text, right)
        return found

    def product(self) -> Part:
        found: Part | None = self.value()
        while found is not None and self.is_("*", "/"):
            word = self.word
            self.at += 1
            right = self.value()
            found = multiplied(found, right) if word.text == "*" else divided(found, right)
            if found is None:
                raise NotSimple("A quotient by a duration is not in the subset.", word.position)
        return found or Part("")

    def value(self) -> Part:
        word = self.word
        self.at += word.kind != "end"
        if word.kind == "string":
            return self.text(word)
        if word.kind == "moment":
            return self.moment(word)
        if word.text == "-":
            return negative(self.value())
        if word.text in ("(", "not"):
            return self.grouped(word)
        if word.kind == "name" and self.is_("(", "."):
            raise NotSimple(f"“{word.text}{self.word.text}” is not in the subset.", word.position)
        if word.kind not in ("name", "number"):
            got = f"“{word.text}”" if word.text else "the end"
            raise NotSimple(f"A value is expected, not {got}.", word.position)
        return self.named(word)

    def named(self, word: _Word) -> Part:
        """Return a number, a name, or what one of the words that begin another form of FEEL begins."""
        name = word.text.lower()
        if word.kind == "number":
            return Part(name, "integer" if name.isdecimal() else "numeric")
        if name in _FORMS and name not in self.types:
            if name == "if":
                return self.chosen()
            if name in ("some", "every"):
                return self.quantified(name)
            raise NotSimple(f"“{name}” is not in the subset; write the condition in SQL.", word.position)
        if name not in _LITERALS:
            name = self.long_name(name)
        self.names.add(name)
        return Part(name, self.types.get(name, ""))

    def long_name(self, name: str) -> str:
        """Return a name with the words that follow: those of a name with spaces are joined by `_`."""
        words = [name]
        while self.word.kind == "name" and self.word.text.lower() not in _KEYWORDS:
            words.append(self.word.text.lower())
            self.at += 1
        return "_".join(words)

    def chosen(self) -> Part:
        """Return what follows `if`: one of two values, the second one also where the condition is unknown."""
        condition = self.either()
        self.need("then")
        yes = self.either()
        self.need("else")
        no = self.either()
        type_ = yes.type if yes.type == no.type else "numeric" if {yes.type, no.type} <= NUMBERS else ""
        return Part(f"(case when coalesce(({condition}), false) then {yes} else {no} end)", type_)

    def quantified(self, kind: str) -> Part:
        """Return what follows `some` and `every`, about the items of an attribute that is a list."""
        item = self.word
        if item.kind != "name":
            raise NotSimple(f"A name is expected after “{kind}”.", item.position)
        self.at += 1
        self.need("in")
        place = self.word.position
        items = self.value()
        if not items.isidentifier() or items.type not in ("", "jsonb"):
            raise NotSimple(f"“{kind}” needs an attribute with a list (type jsonb).", place)
        self.need("satisfies")
        paths = Paths(self.words, self.at, item.text)
        try:
            path = paths.either()
        except NoPath as error:
            message = f"Items of “{kind}” are compared with values that are written out only."
            raise NotSimple(message, error.position) from error
        self.at = paths.at
        return Part(quantified(kind, items, path), "boolean")

    def text(self, word: _Word) -> Part:
        found = text_of(word.text)
        if found is None:
            raise NotSimple("The text has a character that cannot be kept.", word.position)
        return Part("'" + found.replace("'", "''") + "'", "text")

    def moment(self, word: _Word) -> Part:
        """Return a date, a point in time or a duration that is written as a text."""
        self.need("(")
        given = self.word
        if given.kind != "string":
            raise NotSimple(f"A text in quotes is expected after “{word.text}(”.", given.position)
        self.at += 1
        self.need(")")
        kind = " ".join(word.text.split())
        inner = text_of(given.text)
        found = literal(kind, inner) if inner is not None else None
        if found is None:
            said = f"“{given.text[1:41]}” is no {kind} of FEEL; write one such as {WRITTEN[kind]}."
            raise NotSimple(said, given.position)
        return found

    def grouped(self, word: _Word) -> Part:
        """Return what is in parentheses, or the contrary of it."""
        if word.text == "not":
            self.need("(")
        inner = self.either()
        self.need(")")
        if word.text == "not":
            return Part(f"not ({inner})", "boolean")
        return inner if inner == "null" else Part(f"({inner})", inner.type, inner.months)


def _compare(left: str, sign: str, right: str) -> str:
    if "null" in (left, right) and sign in ("=", "<>"):
        return f"{left if right == 'null' else right} is {'not ' if sign == '<>' else ''}null"
    return f"{left} {sign} {right}"


def _joined(sign: str, parts: list[Part]) -> Part:
    return parts[0] if len(parts) == 1 else Part(sign.join(parts), "boolean")


def _operand(part: Part) -> Part:
    """Return a part of a comparison; `not` in SQL would be about all of the comparison."""
    return Part(f"({part})", part.type) if part.startswith("not ") else part
