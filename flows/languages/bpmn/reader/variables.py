"""Variables that a file declares with a type: those whose names the process uses are attributes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from flows.languages.bpmn.conditions import conditions, passed, types, uses
from flows.languages.bpmn.document.vocabulary import MODEL
from flows.languages.bpmn.document.xml import Tag
from flows.languages.bpmn.model import Datum, Process
from flows.languages.bpmn.names import slug, usable
from flows.languages.bpmn.reader.item_types import item_type

_WORD = re.compile(r"'(?:[^']|'')*'|(\w+)")  # a text has no names


@dataclass(frozen=True)
class Variable:
    """A variable of a process or sub-process: its attribute has its name or, if only that is used, its id."""

    tag: Tag
    type: str

    @property
    def names(self) -> list[str]:
        """Return the names that the attribute may have, the likeliest first."""
        return [usable(slug(each)) for each in (self.tag.get("name"), self.tag.id) if each]

    def attribute(self, name: str) -> Datum:
        """Return the attribute, with one of its names."""
        options = {"name": name, "type": self.type, "label": self.tag.get("name") or self.tag.id}
        return Datum(self.tag.id, options, self.tag.line, self.tag.column)


def variables(process: Tag, named: Mapping[str, Tag]) -> list[Variable]:
    """Return the variables with a type that a process and its sub-processes declare, the outer ones first."""
    found, pending = [], [process]
    while pending:
        owner = pending.pop(0)
        found += [Variable(tag, type_) for tag in _declared(owner) if (type_ := item_type(tag, named))]
        pending += owner.of(MODEL, "subProcess")
    return found


def _declared(owner: Tag) -> Iterator[Tag]:
    yield from owner.of(MODEL, "property")
    for inner in owner.of(MODEL, "ioSpecification"):
        yield from inner.of(MODEL, "dataInput", "dataOutput")


def asked(found: Sequence[Variable], names: AbstractSet[str], data: Sequence[Datum]) -> list[Datum]:
    """Return the attributes of the variables that tasks ask for, unless the process declares them itself."""
    there = {str(each.options["name"]) for each in data}
    new: dict[str, Datum] = {}
    for variable in found:
        for name in variable.names:
            if name in names and name not in there:
                new.setdefault(name, variable.attribute(name))
    return [*new.values()]


def with_variables(process: Process, found: Sequence[Variable]) -> Process:
    """Return a process with the variables that it uses as attributes.

    A variable also gives its type to a data object of its name that has none.
    """
    tried = [each.attribute(name) for each in found for name in each.names]
    used = _used(process, replace(process, data=(*tried, *process.data)))
    used -= types(replace(process, data=())).keys()
    data = {str(each.options["name"]): each for each in process.data}
    changed: dict[str, Datum] = {}
    for variable in found:
        name = next((each for each in variable.names if each in used), "")
        there = data.get(name)
        if name and there is None:
            data[name] = changed[name] = variable.attribute(name)
        elif there is not None and there.id and "type" not in there.options:
            data[name] = changed[name] = _with_type(there, variable.type)
    kept = [changed.pop(str(each.options["name"]), each) for each in process.data]
    return replace(process, data=(*kept, *changed.values()))


def in_effect(found: Sequence[Variable], data: Sequence[Datum]) -> Iterator[Tag]:
    """Return the variables that are attributes with their types."""
    given = {str(each.options["name"]): each.options.get("type") for each in data}
    return (each.tag for each in found if any(given.get(name) == each.type for name in each.names))


def _with_type(datum: Datum, type_: str) -> Datum:
    return replace(datum, options={**datum.options, "type": type_})


def _used(process: Process, tried: Process) -> frozenset[str]:
    """Return the words in what names attributes; `tried` has all variables, whose names may have blanks."""
    parts = (conditions(tried, []), uses(process), uses(tried), passed(tried))
    words = (_WORD.finditer(each.sql) for part in parts for each in part)
    return frozenset(word[1].lower() for found in words for word in found if word[1])
