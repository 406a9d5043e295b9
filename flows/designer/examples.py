"""What the page for a new flow shows of the gallery: cards of examples and patterns that a search matches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flows.designer.picture.miniature import miniature
from flows.patterns import Group, Pattern, catalogue, patterns
from flows.patterns.gallery import Example, examples


@dataclass(frozen=True)
class Cards:
    """The cards of the examples, and those of the patterns by group; groups without a card are left out."""

    examples: Sequence[dict[str, Any]]
    groups: Sequence[tuple[Group, Sequence[dict[str, Any]]]]

    def __bool__(self) -> bool:
        return bool(self.examples or self.groups)


def cards(wanted: str) -> Cards:
    """Return the cards whose texts have each of these words."""
    words = wanted.casefold().split()
    groups = ((group, [card(each) for each in _of(group, words)]) for group in catalogue())
    return Cards(
        [card(each) for each in examples().values() if _matches(words, each)],
        [(group, found) for group, found in groups if found],
    )


def card(example: Example) -> dict[str, Any]:
    """Return the content of an example's card, with which its page begins, too."""
    return {"example": example, "picture": miniature(example.localized(), example.scenarios)}


def _of(group: Group, words: Sequence[str]) -> Iterator[Pattern]:
    numbers = {each.number for each in group.entries}
    for each in patterns().values():
        if each.number in numbers and _matches(words, each, group.title, group.english_title, each.name):
            yield each


def _matches(words: Sequence[str], example: Example, *more: str) -> bool:
    """Whether each word is in a text of an example, in the language of the reader or in English."""
    texts = (example.title, example.english_title, example.story, example.lesson, *more)
    text = " ".join(texts).casefold()
    return all(word in text for word in words)
