"""The grammar of FEEL: words become a tree."""

from __future__ import annotations

from flows.languages.bpmn.feel.forms import Forms
from flows.languages.bpmn.feel.tree import (
    Between,
    Calculation,
    Call,
    Comparison,
    Contrary,
    Filter,
    InstanceOf,
    Joined,
    Negative,
    Node,
    Number,
    Path,
    Test,
    Text,
    Within,
)
from flows.languages.bpmn.feel.type_tests import TYPES
from flows.languages.bpmn.feel.words import WORDS, NotSimple, Word

LONGEST, DEEPEST = 4_000, 50
_COMPARED = {"=": "=", "==": "=", "===": "=", "!=": "<>", "!==": "<>", "<>": "<>", "<": "<", "<=": "<=",
             ">": ">", ">=": ">="}  # fmt: skip


class Grammar(Forms):
    """Reads one expression, up to a word that does not belong to it."""

    def either(self) -> Node:
        """Read a disjunction, or what binds more tightly. Raises NotSimple."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise NotSimple(f"It is nested more than {DEEPEST} times.", self.word.position)
        within, self.in_range = self.in_range, False
        found = self.joined("or", ("or", "||"))
        self.depth, self.in_range = self.depth - 1, within
        return found

    def joined(self, word: str, signs: tuple[str, str]) -> Node:
        """Read the parts of a disjunction or a conjunction."""
        place = self.word.position
        parts = [self.part_of(word)]
        while self.take(*signs):
            parts.append(self.part_of(word))
        return parts[0] if len(parts) == 1 else Joined(place, word, tuple(parts))

    def part_of(self, word: str) -> Node:
        """Read a part of a disjunction or a conjunction."""
        if word == "or":
            return self.joined("and", ("and", "&&"))
        place = self.word.position
        return Contrary(place, self.part_of(word)) if self.take("!") else self.compared()

    def compared(self) -> Node:
        """Read a comparison, or what binds more tightly."""
        place = self.word.position
        left = self.sum()
        word = self.word
        sign = self.sign()
        if sign:
            return Comparison(word.position, left, sign, self.sum(), place)
        if self.take("between"):
            low = self.sum()
            self.need("and")
            return Between(place, left, low, self.sum())
        return self.within(place, left) if self.take("in") else left

    def type(self) -> str:
        """Read the name of a type, whose words include `and`."""
        place, found = self.word.position, [self.word.text]
        self.at += self.word.kind in ("name", "function")
        while found[-1] == "and" or self.is_("and", "time", "duration", "months"):
            after = self.words[self.at + 1].text if self.is_("and") else "time"
            if after not in ("time", "months"):
                break
            found.append(self.word.text)
            self.at += 1
        name = " ".join(found)
        if name not in TYPES or self.is_("<"):
            raise NotSimple(f"The type after “instance of” is one of {', '.join(TYPES)}.", place)
        return name

    def sign(self) -> str:
        """Go on behind a sign that compares, and return that of SQL."""
        word = self.word
        found = _COMPARED.get(word.text) or WORDS.get(word.text) or ""
        found = found if word.kind in ("sign", "name") else ""
        self.at += bool(found)
        return found

    def within(self, place: int, left: Node) -> Node:
        """Read what follows `in`: tests in brackets or alone, or a range."""
        if not self.is_("(", "[", "]"):
            part = self.test()
            return Within(place, left, (part,), True, self.word.position)
        opened = self.word
        self.at += 1
        parts = [] if self.is_("]") else [self.test()]
        if self.is_(".."):
            parts = [self.range(opened, parts[0])]
        else:
            while self.take(","):
                parts.append(self.test())
            self.need(")" if opened.text == "(" else "]")
        return Within(place, left, tuple(parts), False, self.word.position)

    def test(self) -> Node:
        """Read one of the tests after `in`."""
        word = self.word
        sign = self.sign()
        if sign:
            return Test(word.position, sign, self.sum())
        return self.range(word, self.sum()) if self.take("]") else self.sum()

    def sum(self) -> Node:
        """Read a sum, or what binds more tightly."""
        found = self.product()
        while self.is_("+", "-"):
            word = self.word
            self.at += 1
            found = Calculation(word.position, found, word.text, self.product())
        return found

    def product(self) -> Node:
        """Read a product, or what binds more tightly."""
        found = self.power()
        while self.is_("*", "/"):
            word = self.word
            self.at += 1
            found = Calculation(word.position, found, word.text, self.power())
        return found

    def power(self) -> Node:
        """Read a power, or what binds more tightly."""
        found = self.signed()
        while self.is_("**"):
            word = self.word
            self.at += 1
            found = Calculation(word.position, found, "**", self.signed())
        return found

    def signed(self) -> Node:
        """Read a value with a minus or without one."""
        place = self.word.position
        if not self.take("-"):
            return self.typed(place, self.parts_of(self.value()))
        if self.word.kind == "number":
            return self.typed(place, Negative(place, self.parts_of(self.value())))
        return Negative(place, self.signed())

    def typed(self, place: int, value: Node) -> Node:
        """Read a test of the type of a value, which binds more tightly than a sum."""
        if not self.take("instance"):
            return value
        self.need("of")
        return InstanceOf(place, value, self.type())

    def parts_of(self, found: Node) -> Node:
        """Read the filters and the parts that follow a value."""
        while self.is_(".") or (self.is_("[") and not self.in_range):
            place = self.word.position
            if self.take("."):
                found = Path(place, found, self.key())
                continue
            self.at += 1
            self.in_filter += 1
            found = Filter(place, found, self.either())
            self.in_filter -= 1
            self.need("]")
        return found

    def at_literal(self, place: int) -> Node:
        """Read the text after `@`, whose form says what it is."""
        text = Text(self.word.position, self.word.text)
        plain = text.text[1:-1].removeprefix("-")
        kind = "duration" if plain.startswith("P") else "date and time" if "T" in plain else "date"
        self.at += 1
        return Call(place, "time" if ":" in plain and "T" not in plain else kind, (text,))

    def value(self) -> Node:
        """Read a value without what follows it."""
        word = self.word
        self.at += word.kind != "end"
        if word.kind in ("string", "number"):
            return (Text if word.kind == "string" else Number)(word.position, word.text)
        if word.kind == "function":
            self.need("(")
            return self.call(word.position, " ".join(word.text.split()))
        if word.text in ("(", "not"):
            return self.grouped(word)
        if word.text in ("[", "{"):
            return self.listed(word) if word.text == "[" else self.entries(word)
        if word.kind == "name":
            return self.named(word)
        return self.signed_literal(word)

    def signed_literal(self, word: Word) -> Node:
        """Read a range without its first end, or a text after `@`. Raises NotSimple for any other sign."""
        if word.text == "@" and self.word.kind == "string":
            return self.at_literal(word.position)
        if word.text != "]" or all(each.text != ".." for each in self.words[self.at :]):
            got = f"“{word.text}”" if word.text else "the end"
            raise NotSimple(f"A value is expected, not {got}.", word.position)
        return self.range(word, self.sum())
