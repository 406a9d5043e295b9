"""The data of a process: its data objects, and the attributes that it declares itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flows.definition import ATTRIBUTE
from flows.languages.bpmn import options
from flows.languages.bpmn.item_types import item_type
from flows.languages.bpmn.model import Datum
from flows.languages.bpmn.names import slug
from flows.languages.bpmn.references import Note
from flows.languages.bpmn.xml import Tag, local


def declared(tag: Tag, named: Mapping[str, Tag], note: Note) -> list[Datum]:
    """Return the attribute of a data object: its name is often that of a reference to it."""
    if tag.name == "dataObjectReference":
        wanted = local(tag.get("dataObjectRef"))
        if wanted and wanted not in named:
            note("unknown_reference", "The reference leads to no data object.", tag)
        return []
    references = (each for each in named.values() if each.name == "dataObjectReference")
    shown = [tag, *(each for each in references if local(each.get("dataObjectRef")) == tag.id)]
    name = next((each.get("name") for each in shown if each.get("name")), tag.id)
    given = {key: value for each in shown for key, value in options.given(each).items()}
    own = {"name": given.pop("attribute", "") or slug(name), "label": name}
    return _datum(tag, own | _item_type(shown, named) | given, tag.id, note)


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
