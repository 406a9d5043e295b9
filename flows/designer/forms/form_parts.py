"""The parts of the form of a task: its sections and fields by place, and what an edit does to them."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

Form = dict[str, Any]
# A form has at most this many fields, and an address or a page names no higher place.
MOST_FIELDS = 200
CONDITIONS = ("shown", "required", "readonly")


class NoSuchPart(Exception):
    """The form has no section or field at that place."""


@dataclass(frozen=True, order=True)
class Place:
    """A section, or a field of one; both count from 0. `field` is None for the section itself."""

    section: int
    field: int | None = None

    def __str__(self) -> str:
        return str(self.section) if self.field is None else f"{self.section}.{self.field}"

    @classmethod
    def read(cls, text: str) -> Place | None:
        """Return the place that a text such as 0 or 0.2 names; None for others."""
        section, dot, field = text.partition(".")
        if not _counts(section) or (dot and not _counts(field)):
            return None
        return cls(int(section), int(field) if dot else None)


def _counts(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 5


def is_listed(form: Any) -> TypeGuard[Form]:
    """Return whether a form is sections of fields, so that it can be shown as a list."""
    sections = form.get("sections") if isinstance(form, Mapping) else None
    return isinstance(sections, list) and all(
        isinstance(each, Mapping)
        and isinstance(each.get("fields"), list)
        and all(isinstance(one, Mapping) and isinstance(one.get("attribute"), str) for one in each["fields"])
        for each in sections
    )


def part_at(form: Mapping[str, Any], place: Place) -> dict[str, Any]:
    """Return the section or field at a place. Raises NoSuchPart."""
    sections: Sequence[Any] = form["sections"]
    if place.section >= len(sections):
        raise NoSuchPart
    if place.field is None:
        return dict(sections[place.section])
    fields = sections[place.section]["fields"]
    if place.field >= len(fields):
        raise NoSuchPart
    return dict(fields[place.field])


def named(form: Mapping[str, Any]) -> set[str]:
    """Return the attributes that the fields of a form have."""
    return {str(one["attribute"]) for each in form["sections"] for one in each["fields"]}


def title_of(part: Mapping[str, Any], place: Place) -> str:
    """Return the name of a field or section in summaries: its attribute, or its title."""
    name = part.get("title") if place.field is None else part.get("attribute")
    return str(name or place.section + 1)


def replaced(form: Mapping[str, Any], place: Place, part: Mapping[str, Any]) -> Form:
    """Return a form with another section or field at a place; a section keeps its fields."""
    part_at(form, place)
    changed = copy.deepcopy(dict(form))
    section = changed["sections"][place.section]
    if place.field is None:
        changed["sections"][place.section] = dict(part) | {"fields": section["fields"]}
    else:
        section["fields"][place.field] = dict(part)
    return changed


def deleted(form: Mapping[str, Any], place: Place) -> Form:
    """Return a form without a field, or without a section and its fields."""
    part_at(form, place)
    changed = copy.deepcopy(dict(form))
    if place.field is None:
        del changed["sections"][place.section]
    else:
        del changed["sections"][place.section]["fields"][place.field]
    return changed


def with_section(form: Mapping[str, Any]) -> tuple[Form, Place]:
    """Return a form with an empty section at its end, and the place of it."""
    changed = copy.deepcopy(dict(form))
    changed["sections"].append({"fields": []})
    return changed, Place(len(changed["sections"]) - 1)


def with_field(form: Mapping[str, Any], section: int, attribute: str) -> tuple[Form, Place]:
    """Return a form with a field for an attribute at the end of a section, and the place of it."""
    part_at(form, Place(section))
    changed = copy.deepcopy(dict(form))
    fields = changed["sections"][section]["fields"]
    fields.append({"attribute": attribute})
    return changed, Place(section, len(fields) - 1)


def moved(form: Mapping[str, Any], place: Place, to: Place) -> tuple[Form, Place]:
    """Return a form with a section or field at another place, and that place.

    A field that is moved to a section is put at its end. Raises NoSuchPart.
    """
    part_at(form, place)
    part_at(form, Place(to.section))
    changed = copy.deepcopy(dict(form))
    sections = changed["sections"]
    if place.field is None:
        sections.insert(to.section, sections.pop(place.section))
        return changed, Place(to.section)
    field = sections[place.section]["fields"].pop(place.field)
    fields = sections[to.section]["fields"]
    at = len(fields) if to.field is None else min(to.field, len(fields))
    fields.insert(at, field)
    return changed, Place(to.section, at)


def beside(form: Mapping[str, Any], place: Place, by: int) -> Place | None:
    """Return where a part is after one step up (-1) or down (1), over ends of sections; None at an end."""
    part_at(form, place)
    sections = form["sections"]
    if place.field is None:
        there = place.section + by
        return Place(there) if 0 <= there < len(sections) else None
    at, section = place.field + by, place.section
    if 0 <= at < len(sections[section]["fields"]):
        return Place(section, at)
    if not 0 <= section + by < len(sections):
        return None
    return Place(section + by, len(sections[section + by]["fields"]) if by < 0 else 0)
