"""The whole definition of a draft, changed at once: by its text or by pasted rows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from flows import json_text
from flows.definition.merge import ATTRIBUTE_KEYS, TRIGGER_KEYS, pairs
from flows.designer.draft.content import count_changes
from flows.designer.draft.edits import Definition, Item
from flows.summaries import Summary

KEYS = {"attributes": ATTRIBUTE_KEYS, "triggers": TRIGGER_KEYS}
# By the list and the place of a new item: the place of the earlier one that it is, None for no earlier one.
Same = Mapping[tuple[str, int], int | None]


class Question(NamedTuple):
    """A new attribute or rule that may be one of those that are not there any more, at these places."""

    part: str
    place: int
    missing: tuple[int, ...]

    @property
    def key(self) -> tuple[str, int]:
        """Return the key of an answer."""
        return self.part, self.place


@dataclass(frozen=True)
class Rewriting:
    """A definition that takes the place of the one that it was made from, without its numbers."""

    typed: Definition
    same: Same = field(default_factory=dict)
    part: str = "settings"

    def applied(self, base: Definition) -> tuple[Definition, Summary, None]:
        """Return the definition with the numbers of the items that it has kept, and a summary."""
        changed = {name: value for name, value in self.typed.items() if name not in ("flow", "version")}
        for part in KEYS:
            there = self._places(base, part)
            changed[part] = [
                _numbered(item, base[part][there[n]] if n in there else {})
                for n, item in enumerate(self.typed[part])
            ]
        count = count_changes(base, changed)
        return changed, Summary("text: %(n)s change", {"n": count}, plural="text: %(n)s changes"), None

    def renames(self, base: Definition) -> list[tuple[str, str]]:
        """Return the earlier and new names of the attributes that it renames."""
        typed, there = self.typed["attributes"], self._places(base, "attributes")
        names = [(base["attributes"][old].get("name"), typed[n].get("name")) for n, old in there.items()]
        return [(old, new) for old, new in names if old and new and old != new]

    def questions(self, base: Definition) -> list[Question]:
        """Return which items may be renamed ones. Of a rule that never ran nothing depends on that."""
        found = []
        for part in KEYS:
            there = self._places(base, part)
            missing = tuple(
                n
                for n, item in enumerate(base[part])
                if n not in there.values() and (part == "attributes" or "id" in item)
            )
            new = [n for n in range(len(self.typed[part])) if n not in there and (part, n) not in self.same]
            found += [Question(part, n, missing) for n in new if missing]
        return found

    def _places(self, base: Definition, part: str) -> dict[int, int]:
        """Return the place in the base of each item that was there."""
        typed = [{name: value for name, value in item.items() if name != "id"} for item in self.typed[part]]
        known = {n: old for (which, n), old in self.same.items() if which == part and old is not None}
        if part == "attributes":
            names = {item.get("name"): n for n, item in enumerate(base[part])}
            known |= {n: names[item["was"]] for n, item in enumerate(typed) if item.get("was") in names}
        left = [n for n in range(len(base[part])) if n not in known.values()]
        rest = [n for n in range(len(typed)) if n not in known]
        found = pairs([base[part][n] for n in left], [typed[n] for n in rest], KEYS[part])
        return known | {rest[new]: left[old] for new, old in found.items()}


def sign(questions: list[Question], base: Definition, typed: Definition) -> str:
    """Return a text that is the same as long as the same is asked."""
    about = [
        [each.part, typed[each.part][each.place], [base[each.part][n] for n in each.missing]]
        for each in questions
    ]
    return hashlib.sha256(json_text.encode(about, sort_keys=True).encode()).hexdigest()[:20]


def _numbered(item: Item, earlier: Mapping[str, Any]) -> Item:
    own = {name: value for name, value in item.items() if name not in ("id", "was")}
    return own | ({"id": earlier["id"]} if "id" in earlier else {})
