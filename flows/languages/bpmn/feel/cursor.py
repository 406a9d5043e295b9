"""A place among the words of an expression."""

from __future__ import annotations

from collections.abc import Container

from flows.languages.bpmn.feel.words import NotSimple, Word


class Cursor:
    """Goes along words. `attributes` are names that attributes have, `names` those that were read.

    `bound` are the names of items and entries, which are no attributes; so is no name within a filter.
    """

    def __init__(self, words: list[Word], attributes: Container[str]) -> None:
        self.words, self.attributes, self.at, self.depth = words, attributes, 0, 0
        self.names: set[str] = set()
        self.bound: list[str] = []
        self.in_range = False
        self.in_filter = 0

    @property
    def word(self) -> Word:
        """Return the present word."""
        return self.words[self.at]

    def is_(self, *texts: str) -> bool:
        """Return whether the present word is one of these."""
        return self.word.kind != "string" and self.word.text in texts

    def take(self, *texts: str) -> bool:
        """Go on if the present word is one of these."""
        found = self.is_(*texts)
        self.at += found
        return found

    def need(self, text: str, what: str = "") -> None:
        """Go on behind a word, or stay at the end if it is empty. Raises NotSimple at another one."""
        if not (self.word.kind == "end" if not text else self.take(text)):
            raise NotSimple(f"{what or f'“{text}”'} is expected, not {self.got()}.", self.word.position)

    def got(self) -> str:
        """Return the present word for a message."""
        return f"“{self.word.text[:20]}”" if self.word.text else "the end"
