"""The forms of FEEL that begin with a word or a bracket: lists, contexts, calls, `if`, `for`, `some`."""

from __future__ import annotations

from abc import ABC, abstractmethod

from flows.languages.bpmn.feel.cursor import Cursor
from flows.languages.bpmn.feel.tree import (
    Call,
    Choice,
    Constant,
    Contrary,
    Entries,
    Function,
    Group,
    Items,
    Name,
    Node,
    Range,
    Repetition,
    key_of,
)
from flows.languages.bpmn.feel.words import FORMS, KEYWORDS, LITERALS, NotSimple, Word
from flows.languages.bpmn.names import attribute_of, usable


class Forms(Cursor, ABC):
    """Reads these forms; what is within them is read by the grammar of expressions."""

    @abstractmethod
    def either(self) -> Node:
        """Read a disjunction, or what binds more tightly."""

    @abstractmethod
    def type(self) -> str:
        """Read the name of a type."""

    @abstractmethod
    def sum(self) -> Node:
        """Read a sum, or what binds more tightly."""

    def range(self, opened: Word, low: Node) -> Range:
        """Read the rest of a range after its first end."""
        self.need("..")
        self.in_range = True
        high = self.sum()
        self.in_range = False
        closed = self.word.text
        if not self.take("]", ")", "["):
            self.need("]")
        return Range(opened.position, low, high, opened.text == "[", closed == "]")

    def grouped(self, word: Word) -> Node:
        """Read what is in parentheses, or the contrary of it."""
        if word.text == "not":
            self.need("(")
        inner = self.either()
        if word.text == "(" and self.is_(".."):
            return self.range(word, inner)
        self.need(")")
        return Contrary(word.position, inner) if word.text == "not" else Group(word.position, inner)

    def listed(self, word: Word) -> Node:
        """Read a list that is written out, or the range that is one."""
        if self.take("]"):
            return Items(word.position, ())
        return self.items(word, self.either())

    def items(self, word: Word, first: Node) -> Node:
        """Read the rest of a list after its first item."""
        if self.is_(".."):
            return self.range(word, first)
        parts = [first]
        while self.take(","):
            parts.append(self.either())
        self.need("]")
        return Items(word.position, tuple(parts))

    def entries(self, word: Word) -> Node:
        """Read a context; an entry may be named by those after it."""
        parts: list[tuple[str, Node]] = []
        bound = len(self.bound)
        while not self.take("}"):
            if parts:
                self.need(",")
            key = self.key()
            self.need(":")
            parts.append((key, self.either()))
            self.bound.append(key_of(key))
        del self.bound[bound:]
        return Entries(word.position, tuple(parts))

    def key(self) -> str:
        """Read the name of a part of a context."""
        word = self.word
        if word.kind == "string":
            self.at += 1
            return word.text[1:-1]
        if word.kind not in ("name", "function"):
            raise NotSimple(f"A name is expected, not {self.got()}.", word.position)
        self.at += 1
        return self.long_name(word.text)

    def named(self, word: Word) -> Node:
        """Read a name, a call, or what one of the words that begin another form of FEEL begins."""
        name = word.text.lower()
        if name in FORMS and usable(name) not in self.attributes and name not in self.bound:
            if name == "if":
                return self.chosen(word)
            if name == "function":
                return self.function(word)
            return self.repetition(word)
        if name in LITERALS:
            return Constant(word.position, name)
        text = self.long_name(word.text)
        if self.take("("):
            return self.call(word.position, text)
        found = Name(word.position, text)
        if found.key not in self.bound and not self.in_filter:
            self.names.add(attribute_of(found.key))
        return found

    def long_name(self, name: str) -> str:
        """Return a name with the words that follow: those of a name with blanks."""
        found = [name]
        while self.word.kind == "name" and self.word.text.lower() not in KEYWORDS:
            found.append(self.word.text)
            self.at += 1
        return " ".join(found)

    def call(self, place: int, function: str) -> Node:
        """Read the arguments of a function."""
        parts: list[Node] = []
        names: list[str] = []
        while not self.take(")"):
            if parts:
                self.need(",")
            name = self.argument_name()
            names += [name] if name else []
            parts.append(self.either())
        if names and len(names) != len(parts):
            raise NotSimple("Either all arguments have names, or none has one.", place)
        return Call(place, function.lower(), tuple(parts), tuple(names))

    def argument_name(self) -> str:
        """Go on behind the name of an argument and its colon, if there is one."""
        at = self.at
        while self.words[at].kind == "name":
            at += 1
        if at == self.at or self.words[at].text != ":":
            return ""
        found = " ".join(word.text for word in self.words[self.at : at])
        self.at = at + 1
        return found.lower()

    def function(self, word: Word) -> Node:
        """Read a function: names of its arguments, which may have types, and its result."""
        arguments: list[str] = []
        self.need("(")
        while not self.take(")"):
            if arguments:
                self.need(",")
            item = self.word
            arguments.append(key_of(self.key()))
            if arguments[-1] in arguments[:-1]:
                raise NotSimple(f"The argument “{arguments[-1][:40]}” is there twice.", item.position)
            if self.take(":"):
                self.type()
        bound = len(self.bound)
        self.bound += arguments
        part = self.either()
        del self.bound[bound:]
        return Function(word.position, tuple(arguments), part)

    def chosen(self, word: Word) -> Node:
        """Read what follows `if`: one of two values, the second one also where the condition is unknown."""
        condition = self.either()
        self.need("then")
        yes = self.either()
        self.need("else")
        return Choice(word.position, condition, yes, self.either())

    def repetition(self, word: Word) -> Node:
        """Read what follows `for`, `some` and `every`."""
        kind = word.text.lower()
        lists: list[tuple[str, Node]] = []
        bound = len(self.bound)
        while not lists or self.take(","):
            item = self.word
            if item.kind != "name":
                raise NotSimple(f"A name is expected after “{kind}”.", item.position)
            self.at += 1
            name = key_of(self.long_name(item.text))
            self.need("in")
            lists.append((name, self.domain()))
            self.bound.append(name)
        self.need("return" if kind == "for" else "satisfies")
        part = self.either()
        del self.bound[bound:]
        return Repetition(word.position, kind, tuple(lists), part)

    def domain(self) -> Node:
        """Read a list, or the numbers from one to another."""
        word = self.word
        low = self.sum()
        return Range(word.position, low, self.sum()) if self.take("..") else low
