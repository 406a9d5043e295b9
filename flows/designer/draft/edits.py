"""Changes of a definition that a page makes, each with a summary in plain words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext_noop as _
from django.utils.translation import override

from flows import json_text
from flows.definition import ATTRIBUTE, FLOW, TRIGGER, Options
from flows.labels import CONTEXT, FINAL, rule_name
from flows.summaries import Fact, Summary

_CONDITION = ("condition", "predicate")  # the options of a rule that are its named condition

Item = dict[str, Any]
Definition = dict[str, Any]
OPTIONS: dict[str, Options] = {"attributes": ATTRIBUTE, "triggers": TRIGGER, "settings": FLOW}


class NoSuchItem(Exception):
    """The definition has no rule or attribute at that place."""


@dataclass(frozen=True)
class Edit:
    """One change: what is done to which list ("settings": the flow's own options), at which place (from 0).

    `values` are those of the options that a form showed; `to` is the place to which an item is moved. With
    `shared` the rules that have the same named condition get the changed one, too.
    """

    part: str
    action: str
    place: int | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    to: int = 0
    shared: bool = False

    def applied(self, definition: Definition) -> tuple[Definition, Summary, int | None]:
        """Return the changed definition, the summary, and the place of the item in it.

        Raises NoSuchItem.
        """
        if self.part == "settings":
            return *self._settings(definition), None
        changed = definition | {self.part: list(definition[self.part])}
        items = changed[self.part]
        summary, place = _ACTIONS[self.action](self, changed, items)
        return changed, summary, place

    def renames(self, definition: Definition) -> list[tuple[str, str]]:
        """Return the earlier and the new name if this change renames an attribute."""
        if self.part != "attributes" or self.place is None or self.place >= len(definition[self.part]):
            return []
        old, new = definition[self.part][self.place].get("name"), self.values.get("name")
        return [(old, new)] if old and new and isinstance(old, str) and old != new else []

    def _settings(self, definition: Definition) -> tuple[Definition, Summary]:
        changed = _with(definition, self.values, FLOW)
        return changed, Summary(_("settings: %(options)s"), {"options": _named(definition, changed, FLOW)})

    def _at(self, items: list[Item]) -> tuple[int, Item]:
        if self.place is None or not 0 <= self.place < len(items):
            raise NoSuchItem
        return self.place, items[self.place]

    def _add(self, definition: Definition, items: list[Item]) -> tuple[Summary, int]:
        added = _with({}, self.values, OPTIONS[self.part])
        if self.part == "triggers":
            # Without a timeout of its own a rule would have the flow's default one.
            added["timeout"] = self.values.get("timeout", default_timeout(definition))
        items.append(added)
        return Summary(_("%(item)s added"), {"item": title_parts(self.part, added)}), len(items) - 1

    def _save(self, definition: Definition, items: list[Item]) -> tuple[Summary, int]:
        place, item = self._at(items)
        options = OPTIONS[self.part]
        others = sharers(items, place) if self.shared and self.part == "triggers" else []
        items[place] = _with(with_timeout(definition, self.part, item), self.values, options, item)
        facts: dict[str, Fact] = {"item": title_parts(self.part, item)}
        facts["options"] = _named(item, items[place], options)
        condition = {name: items[place].get(name) for name in _CONDITION}
        if not others or condition == {name: item.get(name) for name in _CONDITION}:
            return Summary(_("%(item)s: %(options)s"), facts), place
        for each in others:
            items[each] = _with(items[each], condition, options)
        facts["others"] = [_summary(title_parts(self.part, items[each])) for each in others]
        return Summary(_("%(item)s: %(options)s; its condition also in: %(others)s"), facts), place

    def _copy(self, definition: Definition, items: list[Item]) -> tuple[Summary, int]:
        self._save(definition, items)
        place, item = self._at(items)
        copied = {name: value for name, value in item.items() if name not in ("id", "was")}
        if self.part == "attributes":
            copied["name"] = _free_name(str(item.get("name", "")), items)
        items.insert(place + 1, copied)
        return Summary(_("%(item)s copied"), {"item": title_parts(self.part, item)}), place + 1

    def _delete(self, definition: Definition, items: list[Item]) -> tuple[Summary, int]:
        place, item = self._at(items)
        del items[place]
        return Summary(_("%(item)s deleted"), {"item": title_parts(self.part, item)}), place

    def _up(self, definition: Definition, items: list[Item]) -> tuple[Summary, int]:
        return self._moved(definition, items, -1)

    def _down(self, definition: Definition, items: list[Item]) -> tuple[Summary, int]:
        return self._moved(definition, items, 1)

    def _moved(self, definition: Definition, items: list[Item], by: int) -> tuple[Summary, int]:
        self._save(definition, items)  # what was typed beside the button is not lost
        place, _item = self._at(items)
        return self._put(items, place + by)

    def _move(self, definition: Definition, items: list[Item]) -> tuple[Summary, int]:
        return self._put(items, self.to)

    def _put(self, items: list[Item], to: int) -> tuple[Summary, int]:
        place, item = self._at(items)
        to = min(max(to, 0), len(items) - 1)
        items.insert(to, items.pop(place))
        facts: dict[str, Fact] = {"item": title_parts(self.part, item), "place": to + 1}
        return Summary(_("%(item)s moved to place %(place)s"), facts), to


_ACTIONS: dict[str, Callable[[Edit, Definition, list[Item]], tuple[Summary, int]]] = {
    "add": Edit._add,
    "save": Edit._save,
    "copy": Edit._copy,
    "delete": Edit._delete,
    "up": Edit._up,
    "down": Edit._down,
    "move": Edit._move,
}
ACTIONS = frozenset(_ACTIONS)


def _with(
    item: Mapping[str, Any],
    values: Mapping[str, Any],
    options: Options,
    before: Mapping[str, Any] | None = None,
) -> Item:
    """Return the item with these values. What is not changed stays as it is written, defaults unwritten.

    `before` is the item as it is written if `item` has more.
    """
    changed = dict(item if before is None else before)
    for name, value in values.items():
        default = options[name].default
        if same(value, item.get(name, default)):
            continue
        if same(value, default) and name != "timeout":
            changed.pop(name, None)
        else:
            changed[name] = value
    return changed


def same(one: Any, other: Any) -> bool:
    """Return whether two values of an option are equal for whoever reads the form."""
    empty = ("", None, FINAL)
    if one in empty and other in empty:
        return True
    return json_text.encode(one, sort_keys=True) == json_text.encode(other, sort_keys=True)


def default_timeout(definition: Mapping[str, Any]) -> Any:
    """Return the timeout of a rule that is defined without one."""
    return definition.get("default_timeout", FLOW["default_timeout"].default)


def with_timeout(definition: Mapping[str, Any], part: str, item: Item) -> Item:
    """Return a rule with the timeout that it has without one of its own; an attribute unchanged."""
    return {"timeout": default_timeout(definition)} | item if part == "triggers" else item


def sharers(rules: list[Item], place: int) -> list[int]:
    """Return the places of the other rules whose condition has the same name and text."""
    name, text = (rules[place].get(option) for option in _CONDITION)
    if not name:
        return []
    named = [n for n, each in enumerate(rules) if n != place and each.get("condition") == name]
    return [n for n in named if rules[n].get("predicate") == text]


def title(part: str, item: Mapping[str, Any]) -> str:
    """Return the title of a rule or an attribute on pages."""
    return str(title_parts(part, item))


def title_parts(part: str, item: Mapping[str, Any]) -> str | Summary:
    """Return the title of a rule or an attribute, as a part of a summary for every language."""
    if item.get("label"):
        return Summary(str(item["label"]), context=CONTEXT)
    if name := rule_name(item) if part == "triggers" else str(item.get("name") or ""):
        return name
    if part == "attributes":
        return Summary(_("Attribute without a name"))
    return Summary(_("Final condition") if item.get("final") else _("Rule without a name"))


def _summary(title: str | Summary) -> Summary:
    """Return a title as a summary; a name is not translated."""
    return title if isinstance(title, Summary) else Summary("%(name)s", {"name": title})


def _named(before: Mapping[str, Any], after: Mapping[str, Any], options: Options) -> list[Summary]:
    """Return the labels of the options that were changed."""
    with override("en"):
        changed = [
            Summary(str(option.label))
            for option in options.shown
            if not same(before.get(option.name, option.default), after.get(option.name, option.default))
        ]
    return changed or [Summary(_("unchanged"))]


def _free_name(name: str, items: list[Item]) -> str:
    taken = {item.get("name") for item in items}
    return next(found for n in range(2, len(items) + 3) if (found := f"{name[:58]}_{n}") not in taken)
