"""The data of a process: its data objects, and the attributes that it declares itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from flows.definition import ATTRIBUTE
from flows.languages.bpmn.document import options
from flows.languages.bpmn.document.references import Note
from flows.languages.bpmn.document.xml import Tag, local
from flows.languages.bpmn.model import Datum
from flows.languages.bpmn.names import LONGEST, slug, usable
from flows.languages.bpmn.reader.first_values import first_value
from flows.languages.bpmn.reader.item_types import item_type
from flows.languages.bpmn.reader.loops import Used


def declared(tag: Tag, named: Mapping[str, Tag], note: Note, used: Used) -> list[Datum]:
    """Return the attribute of a data object: its name is often that of a reference to it."""
    if tag.name == "dataObjectReference":
        wanted = local(tag.get("dataObjectRef"))
        if wanted and wanted not in named:
            note("unknown_reference", "The reference leads to no data object.", tag, "warning")
        return []
    references = (each for each in named.values() if each.name == "dataObjectReference")
    shown = [tag, *(each for each in references if local(each.get("dataObjectRef")) == tag.id)]
    name = next((each.get("name") for each in shown if each.get("name")), tag.id)
    given = {key: value for each in shown for key, value in options.given(each).items()}
    own = {"name": given.pop("attribute", "") or usable(slug(name)), "label": name}
    own |= _item_type(shown, named)
    return _datum(tag, own | first_value(shown, own.get("type", ""), note, used) | given, tag.id, note)


def attribute(tag: Tag, note: Note) -> list[Datum]:
    """Return the attribute of <wedsql:attribute name=...>, none where it is wrong."""
    given = {name: value for (space, name), value in tag.attributes.items() if not space}
    return _datum(tag, given, "", note)


def _item_type(shown: Sequence[Tag], named: Mapping[str, Tag]) -> dict[str, str]:
    """Return the type of a data object, as the file defines its items or those of a reference to it."""
    type_ = next((found for each in shown if (found := item_type(each, named))), "")
    return {"type": type_} if type_ else {}


def _datum(tag: Tag, given: dict[str, str], id_: str, note: Note) -> list[Datum]:
    try:
        found: dict[str, Any] = options.converted(given, ATTRIBUTE)
    except ValueError as error:
        note("bad_option", str(error), tag)
        return []
    if "name" not in found:
        note("no_name", "The attribute has no name.", tag)
        return []
    return [Datum(id_, found, tag.line, tag.column)]


def apart(data: Sequence[Datum]) -> list[Datum]:
    """Return the attributes of a process, no two data objects with the same name.

    Data objects with one label are one attribute, as they are in different sub-processes or places of a
    diagram; so are a data object and a declared attribute of its name. Others whose labels differ only in
    signs that a name cannot have are numbered. What is declared twice with different options stays twice.
    """
    found: list[Datum] = [each for each in data if not each.id]
    places = {str(each.options["name"]): number for number, each in reversed([*enumerate(found)])}
    for datum in (each for each in data if each.id):
        same = None
        for wanted in _names(datum):
            same = places.get(wanted)
            if same is None or _is_same(found[same], datum):
                break
        if same is None:
            places[wanted] = len(found)
            found.append(replace(datum, options={**datum.options, "name": wanted}))
        elif (joined := _joined(found[same], datum)) is not None:
            found[same] = joined
        else:
            found.append(datum)
    return found


def _names(datum: Datum) -> Iterator[str]:
    """Return the names that a data object may have."""
    name = str(datum.options["name"])
    yield name
    yield from (f"{name[: LONGEST - 5]}_{number}" for number in count(2))


def _is_same(datum: Datum, other: Datum) -> bool:
    """Return whether a data object is another one, or an attribute that is declared."""
    return not datum.id or datum.options.get("label") == other.options.get("label")


def _joined(datum: Datum, other: Datum) -> Datum | None:
    """Return two declarations of an attribute as one, None if their options differ."""
    options = {**other.options, **datum.options, "name": datum.options["name"]}
    kept = {key: value for key, value in other.options.items() if key not in ("name", "label")}
    return (
        replace(datum, options=options) if all(options[key] == value for key, value in kept.items()) else None
    )
