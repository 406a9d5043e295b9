"""Saves one change of a draft, merged with what others saved since its page was opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from django.db import transaction

from flows import api
from flows.definition.merge import ATTRIBUTE_KEYS, TRIGGER_KEYS, Conflict, Merge, merge, pairs
from flows.designer.draft.content import Design, Seen, main_draft
from flows.designer.draft.edits import OPTIONS, Definition
from flows.errors import DraftExists, StaleDraft, UnknownDraft, UnknownVersion
from flows.summaries import Summary
from flows.types import Draft, DraftAt

_ATTEMPTS = 5
_KEYS = {"attributes": ATTRIBUTE_KEYS, "triggers": TRIGGER_KEYS}


class Change(Protocol):
    """A change of a definition; `part` is the list that has the item that it changes, or "settings"."""

    @property
    def part(self) -> str: ...

    def applied(self, definition: Definition) -> tuple[Definition, Summary, int | None]:
        """Return the changed definition, the summary, and the place of the changed item in it."""

    def renames(self, definition: Definition) -> list[tuple[str, str]]:
        """Return the earlier and the new names of attributes that get another one."""


@dataclass(frozen=True)
class Saved:
    """A saved change; `place` is that of the changed item, `with_whom` who saved what it was merged with."""

    place: int | None
    summary: Summary
    with_whom: str = ""


@dataclass(frozen=True)
class Choices:
    """Whose value is taken ("mine", "theirs") at each conflict with the draft as it was seen then."""

    seen: str
    sides: Mapping[int, str]


class Forgotten(Exception):
    """The definition that a change was made from is not kept any more: the draft was discarded meanwhile."""


class Conflicting(Exception):
    """A change cannot be merged without a decision; `conflicts` are those with the present draft.

    `merged` has mine at each of them.
    """

    def __init__(self, conflicts: list[Conflict], draft: Draft, merged: Definition) -> None:
        super().__init__(len(conflicts))
        self.conflicts, self.draft, self.merged = conflicts, draft, merged


def save(design: Design, seen: Seen, edit: Change, actor: str, choices: Choices | None = None) -> Saved:
    """Save a change that was made from `seen`, opening the draft if there is none.

    Raises NoSuchItem, Conflicting, Forgotten and the errors of `flows.api.drafts.save`.
    """
    for attempt in range(_ATTEMPTS):
        try:
            with transaction.atomic():
                return _save(design, seen, edit, actor, choices)
        except (StaleDraft, DraftExists):  # saved or opened between reading and saving
            if attempt == _ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


def _save(design: Design, seen: Seen, edit: Change, actor: str, choices: Choices | None) -> Saved:
    draft = main_draft(design.name) or api.drafts.open(design.name, actor=actor)
    base = content(seen, draft)
    mine, summary, place = edit.applied(base)
    rules = 0
    for old, new in edit.renames(base):
        mine, changed = _followed(mine, old, new)
        rules += changed
    if rules:
        summary = Summary(
            "%(summary)s; %(n)s rule has the new name",
            {"summary": summary, "n": rules},
            plural="%(summary)s; %(n)s rules have the new name",
        )
    whom, merged = "", mine
    if base != draft.definition:
        found = merge(base, mine, draft.definition)
        merged = _decided(found, choices, draft, base, mine)
        place = _place(edit.part, mine, merged, place)
        whom = draft.changed_by
    api.drafts.save(draft.at, merged, summary=summary, actor=actor)
    return Saved(place, summary, whom)


def _followed(mine: Definition, old: str, new: str) -> tuple[Definition, int]:
    """Return my definition with the new name of an attribute in the rules that use it, and their number."""
    before = [item | {"name": old} if item.get("name") == new else item for item in mine["attributes"]]
    renamed = api.drafts.renamed_triggers(mine | {"attributes": before}, old, new)
    changed = sum(one != other for one, other in zip(mine["triggers"], renamed, strict=True))
    return mine | {"triggers": renamed}, changed


def content(seen: Seen, draft: Draft) -> Definition:
    """Return the definition that the page showed. Raises Forgotten."""
    if seen == Seen.of(draft):
        return draft.definition
    try:
        with transaction.atomic():
            if seen.revision and seen.opened == draft.created_at.isoformat():
                return api.drafts.revision(DraftAt(draft.flow, draft.branch, seen.revision))
            if not seen.revision and seen.version == draft.base_version:
                return draft.base
            if not seen.revision and seen.version:
                return api.publications.version_definition(draft.flow, seen.version)
    except (UnknownDraft, UnknownVersion):
        pass
    raise Forgotten


def _place(part: str, mine: Definition, merged: Definition, place: int | None) -> int | None:
    """Return where the item at `place` of my definition is in the merged one."""
    if place is None:
        return None
    there = {old: new for new, old in pairs(mine[part], merged[part], _KEYS[part]).items()}
    return there.get(place)


def _decided(
    found: Merge, choices: Choices | None, draft: Draft, base: Definition, mine: Definition
) -> Definition:
    """Return the merged definition with the chosen side at each conflict. Raises Conflicting."""
    conflicts = to_decide(found)
    if not conflicts:
        return found.definition
    if (
        choices is None
        or choices.seen != str(Seen.of(draft))
        or set(choices.sides) != set(range(len(conflicts)))
    ):
        raise Conflicting(conflicts, draft, found.definition)
    chosen = [(conflict, choices.sides[n]) for n, conflict in enumerate(conflicts)]
    other = merge(base, draft.definition, mine).definition
    return resolved(found.definition, chosen, other)


def to_decide(found: Merge) -> list[Conflict]:
    """Return the conflicts with two sides; two attributes of one name are a problem of the merged draft."""
    return [conflict for conflict in found.conflicts if conflict.mine != conflict.theirs]


def resolved(merged: Definition, chosen: list[tuple[Conflict, str]], other: Definition) -> Definition:
    """Return the merged definition with the chosen values; `other` is merged in their favour."""
    definition = merged | {name: [dict(item) for item in merged[name]] for name in _KEYS}
    removed: list[tuple[str, int]] = []
    moved: list[str] = []
    for conflict, side in chosen:
        value = conflict.theirs if side == "theirs" else conflict.mine
        if len(conflict.path) == 3:
            part, place, option = conflict.path
            _put(definition[str(part)][place], str(part), str(option), value)
        elif len(conflict.path) == 2:
            part, place = str(conflict.path[0]), int(conflict.path[1])
            if value is None:
                removed.append((part, place))
            else:
                definition[part][place] = value
        elif conflict.path[0] in _KEYS:
            moved += [str(conflict.path[0])] if side == "theirs" else []
        else:
            _put(definition, "settings", str(conflict.path[0]), value)
    for part, place in sorted(removed, reverse=True):
        del definition[part][place]
    for part in moved:
        definition[part] = _in_order_of(other[part], definition[part], part)
    return definition


def _put(item: dict[str, Any], part: str, name: str, value: Any) -> None:
    """Set an option. The merge has None for what a side does not have and for null alike."""
    option = OPTIONS[part].get(name)
    if value is None and not (option and option.nullable):
        item.pop(name, None)
    else:
        item[name] = value


def _in_order_of(ordered: list[Any], items: list[Any], part: str) -> list[Any]:
    """Return the items in the order in which another list has them; others last."""
    there = pairs(ordered, items, _KEYS[part])
    return [items[n] for n in sorted(range(len(items)), key=lambda n: there.get(n, len(ordered)))]
