"""Merges two changes of one definition, option by option.

An attribute or trigger is the same in two definitions if it has the same number (`id`), else by its name, by
the rules of publishing. An option that only one side changed has the value of that side; where both changed
it differently, the merged definition has mine, and the conflict is listed.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

Item: TypeAlias = Mapping[str, Any]
Token: TypeAlias = int  # what an item is, the same number in all three lists
Path: TypeAlias = tuple[str | int, ...]
LISTS = ("attributes", "triggers")
_MISSING = object()


@dataclass(frozen=True)
class Conflict:
    """Something that both sides changed differently; None stands for what a side does not have.

    `path` leads to it in the merged definition: an option, an item that one side removed, or a list whose
    order both changed.
    """

    path: Path
    base: Any
    mine: Any
    theirs: Any


@dataclass(frozen=True)
class Merge:
    """The merged definition and its conflicts, at which it is mine."""

    definition: dict[str, Any]
    conflicts: tuple[Conflict, ...]


def merge(base: Item, mine: Item, theirs: Item) -> Merge:
    """Merge what was changed from `base` to `mine` with what was changed from `base` to `theirs`."""
    base_set, my_set, their_set = (_settings(definition) for definition in (base, mine, theirs))
    settings, conflicts = _options(base_set, my_set, their_set)
    for name in LISTS:
        lists = _Lists(name, *(_items(definition, name) for definition in (base, mine, theirs)))
        settings[name], found = lists.merged()
        conflicts += found
    return Merge(settings, tuple(conflicts))


def _settings(definition: Item) -> dict[str, Any]:
    return {name: value for name, value in definition.items() if name not in LISTS}


def _items(definition: Item, name: str) -> list[Item]:
    return list(definition.get(name) or ())


def _options(base: Item, mine: Item, theirs: Item, path: Path = ()) -> tuple[dict[str, Any], list[Conflict]]:
    """Merge objects key by key."""
    merged: dict[str, Any] = {}
    conflicts: list[Conflict] = []
    for name in dict.fromkeys([*mine, *theirs]):
        b, m, t = (side.get(name, _MISSING) for side in (base, mine, theirs))
        value = t if _same(m, b) else m
        if not (_same(m, b) or _same(t, b) or _same(m, t)):
            conflicts.append(Conflict((*path, name), *map(_shown, (b, m, t))))
        if value is not _MISSING:
            merged[name] = value
    return merged, conflicts


def _shown(value: Any) -> Any:
    return None if value is _MISSING else value


def _key(value: Any) -> str:
    """Return a text that is equal for equal JSON values, in which true is not 1."""
    return "" if value is _MISSING else json.dumps(value, sort_keys=True, default=str)


def _same(one: Any, other: Any) -> bool:
    return _key(one) == _key(other)


class _Sides(NamedTuple):
    """One item on each side, None where a side does not have it."""

    base: Item | None
    mine: Item | None
    theirs: Item | None

    @property
    def kept(self) -> bool:
        """Return whether it is in the merged list: a removal loses against a change."""
        if self.mine is None or self.theirs is None:
            left = self.theirs if self.mine is None else self.mine
            return left is not None and (self.base is None or not _same(left, self.base))
        return True

    def merged(self, path: Path) -> tuple[Item, list[Conflict]]:
        if self.mine is None or self.theirs is None:
            left = self.mine or self.theirs or {}
            removed = self.base is not None
            return left, [Conflict(path, self.base, self.mine, self.theirs)] if removed else []
        return _options(self.base or {}, self.mine, self.theirs, path)


class _Lists:
    """The three lists of attributes or of triggers."""

    def __init__(self, name: str, base: list[Item], mine: list[Item], theirs: list[Item]) -> None:
        self.name = name
        keys = ATTRIBUTE_KEYS if name == "attributes" else TRIGGER_KEYS
        self.base = list(range(len(base)))
        self.mine = _tokens(pairs(base, mine, keys), len(mine), len(base))
        self.theirs = _tokens(pairs(base, theirs, keys), len(theirs), len(base) + len(mine))
        self._join_new(mine, theirs, len(base), keys)
        found = (
            dict(zip(t, i, strict=True))
            for t, i in ((self.base, base), (self.mine, mine), (self.theirs, theirs))
        )
        self.by_token = dict(enumerate_sides(*found))

    def _join_new(self, mine: list[Item], theirs: list[Item], known: int, keys: Sequence[Key]) -> None:
        """Give items that both sides added one token."""
        new_mine = [place for place, token in enumerate(self.mine) if token >= known]
        new_theirs = [place for place, token in enumerate(self.theirs) if token >= known]
        both = pairs([mine[place] for place in new_mine], [theirs[place] for place in new_theirs], keys)
        for one, other in both.items():
            self.theirs[new_theirs[one]] = self.mine[new_mine[other]]

    def merged(self) -> tuple[list[Item], list[Conflict]]:
        """Return the merged list and its conflicts."""
        order, conflicts = self._order()
        items = []
        for place, token in enumerate(order):
            item, found = self.by_token[token].merged((self.name, place))
            items.append(item)
            conflicts += found
        return items, conflicts + self._same_names(items)

    def _order(self) -> tuple[list[Token], list[Conflict]]:
        """Return the kept items in the order of the side that changed it."""
        common, conflicts = self._common()
        place = {token: n for n, token in enumerate(common)}
        after: dict[int, list[list[Token]]] = defaultdict(list)
        for side in (self.mine, self.theirs):
            for anchor, group in self._groups(side, place):
                after[anchor].append(group)
        order: list[Token] = []
        for anchor in range(-1, len(common)):
            order += common[anchor : anchor + 1] if anchor >= 0 else []
            for group in sorted(after[anchor], key=self._keys):
                order += group
        return order, conflicts

    def _groups(self, side: list[Token], place: Mapping[Token, int]) -> Iterable[tuple[int, list[Token]]]:
        """Yield the kept items that only this side has, together with the place of the common one before."""
        anchor = -1
        group: list[Token] = []
        for token in side:
            if token in place:
                yield anchor, group
                anchor, group = place[token], []
            elif self.by_token[token].kept:
                group.append(token)
        yield anchor, group

    def _common(self) -> tuple[list[Token], list[Conflict]]:
        """Return the items that both sides have, in one order."""
        mine = [token for token in self.mine if token in set(self.theirs)]
        theirs = [token for token in self.theirs if token in set(self.mine)]
        kept_by_mine, kept_by_theirs = self._keeps_order(mine), self._keeps_order(theirs)
        if mine == theirs or (kept_by_theirs and not kept_by_mine):
            return mine, []
        if kept_by_mine and kept_by_theirs:
            return min(mine, theirs, key=self._keys), []
        if kept_by_mine:
            return theirs, []
        sides = (self._named(side) for side in (self.base, self.mine, self.theirs))
        return mine, [Conflict((self.name,), *sides)]

    def _keeps_order(self, tokens: Iterable[Token]) -> bool:
        known = [token for token in tokens if token < len(self.base)]
        return known == sorted(known)

    def _keys(self, tokens: Iterable[Token]) -> list[str]:
        """Return a sort key that does not depend on which side is mine."""
        return [min(_key(item) for item in self.by_token[token] if item is not None) for token in tokens]

    def _named(self, tokens: Iterable[Token]) -> list[str]:
        found = (
            next(item for item in reversed(self.by_token[token]) if item is not None) for token in tokens
        )
        return [
            str(item.get("name") or item.get("transition") or item.get("predicate") or "") for item in found
        ]

    def _same_names(self, merged: list[Item]) -> list[Conflict]:
        """Return a conflict for each attribute whose name another one got on the other side."""
        if self.name != "attributes":
            return []
        sides = [sides for sides in self.by_token.values() if sides.kept]
        before = _repeated(s.mine for s in sides) | _repeated(s.theirs for s in sides)
        twice = _repeated(merged) - before
        return [
            Conflict((self.name, place, "name"), None, item.get("name"), item.get("name"))
            for place, item in enumerate(merged)
            if _key(item.get("name", _MISSING)) in twice
        ]


def _repeated(items: Iterable[Item | None]) -> set[str]:
    names = [_key(item.get("name", _MISSING)) for item in items if item is not None]
    return {name for name in names if names.count(name) > 1}


def enumerate_sides(*found: Mapping[Token, Item]) -> Iterable[tuple[Token, _Sides]]:
    """Yield each token with its item on each side."""
    for token in dict.fromkeys(token for side in found for token in side):
        yield token, _Sides(*(side.get(token) for side in found))


def _tokens(known: Mapping[int, int], length: int, first_new: int) -> list[Token]:
    return [known.get(place, first_new + place) for place in range(length)]


Key: TypeAlias = Callable[[Item], Any]


def _option(*names: str) -> Key:
    """Return a key that consists of these options, None for an item that has none of them."""

    def key(item: Item) -> Any:
        values = [item.get(name) for name in names]
        return None if all(value is None for value in values) else values

    return key


def _not_final(key: Key) -> Key:
    return lambda item: None if item.get("final") is True else key(item)


def _whole(item: Item) -> Any:
    return {name: value for name, value in item.items() if name != "id"}


# From the most certain to the least; the rules of wedsql._trigger_pairs.
ATTRIBUTE_KEYS: tuple[Key, ...] = (_option("id"), _whole, _option("name"))
TRIGGER_KEYS: tuple[Key, ...] = (
    _option("id"),
    _whole,
    lambda item: True if item.get("final") is True else None,
    _not_final(_option("name", "transition", "condition")),
    _not_final(_option("transition", "condition")),
    _not_final(_option("name")),
    _not_final(_option("transition")),
)
_UNIQUE = TRIGGER_KEYS[-2:]


def pairs(old: Sequence[Item], new: Sequence[Item], keys: Sequence[Key]) -> dict[int, int]:
    """Return the place in `old` of each item of `new` that is there, by its place in `new`."""
    found: dict[int, int] = {}
    for key in keys:
        olds, news = _by_key(old, key, set(found.values())), _by_key(new, key, set(found))
        for sign, places in news.items():
            others = olds.get(sign, [])
            if key in _UNIQUE and (len(places) > 1 or len(others) > 1):
                continue
            found |= {
                place: other
                for place, other in zip(places, others, strict=False)
                if not _other_numbers(old[other], new[place])
            }
    return found


def reordered(old: Sequence[Item], new: Sequence[Item], keys: Sequence[Key]) -> bool:
    """Return whether items that both lists have are in another order."""
    found = pairs(old, new, keys)
    kept = [found[here] for here in sorted(found)]
    return kept != sorted(kept)


def _by_key(items: Sequence[Item], key: Key, done: set[int]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        if place not in done and (sign := key(item)) is not None:
            places[_key(sign)].append(place)
    return places


def _other_numbers(one: Item, other: Item) -> bool:
    """Return whether both have a number and are therefore two, whatever their names."""
    return None not in (one.get("id"), other.get("id")) and one["id"] != other["id"]
