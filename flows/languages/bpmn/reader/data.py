"""The attributes that tasks of persons need: those of their forms, and those that name persons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flows.languages.bpmn.document.xml import Tag
from flows.languages.bpmn.model import Datum

Note = Callable[[str, str, Tag, str], None]


@dataclass
class Asked:
    """What tasks ask for, in the order of the file."""

    found: list[tuple[Datum, Tag, str]] = field(default_factory=list)

    def ask(self, name: str, given: Mapping[str, Any], tag: Tag, only: str = "") -> None:
        """Note an attribute; `only` is the type that it must have."""
        self.found.append((Datum("", {"name": name, **given}, tag.line, tag.column), tag, only))

    @property
    def names(self) -> set[str]:
        """Return the names of attributes that may have any type."""
        return {str(datum.options["name"]) for datum, _tag, only in self.found if not only}

    def missing(self, declared: Iterable[Datum], note: Note) -> list[Datum]:
        """Return the attributes that are not declared, each once; other types are noted."""
        types = {str(each.options["name"]): str(each.options.get("type", "text")) for each in declared}
        missing = []
        for datum, tag, only in self.found:
            name, type_ = str(datum.options["name"]), str(datum.options["type"])
            if name not in types:
                types[name] = type_
                missing.append(datum)
            elif only and types[name] != only:
                message = f"The attribute “{name}” names a person, so its type is {only}, not {types[name]}."
                note("bad_option", message, tag, "error")
            elif types[name] != type_:
                message = f"The field “{name}” has the type {types[name]}, as it is declared before."
                note("not_used", message, tag, "warning")
        return missing
