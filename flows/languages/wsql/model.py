"""The definition that statements of WSQL change, and where in the text each part of it is written."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from flows import api
from flows.languages.wsql.tree import Piece, Statement

Path: TypeAlias = tuple[str | int, ...]
Named: TypeAlias = dict[tuple[str, str], dict[str, Any]]
CONDITION, TRANSITION = "condition", "transition"


@dataclass
class Model:
    """A definition, and the named conditions and transitions, while statements change them.

    `stored` has the named objects of the database, `made` those that statements wrote. `places` is the source
    map: where a part of the definition, or a named object, was written.
    """

    flow: str
    version: int
    definition: dict[str, Any]
    stored: Named
    made: Named = field(default_factory=dict)
    places: dict[Path, Piece | Statement] = field(default_factory=dict)
    original: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, flow: str) -> Model:
        """Return the model of a flow as it runs; of one that does not exist, an empty one."""
        version, definition = api.drafts.running_definition(flow)
        stored = api.drafts.named_objects(flow) if version else {}
        return cls(flow, version, definition, stored, original=copy.deepcopy(definition))

    def copied(self) -> Model:
        """Return a model that can be changed without this one."""
        return copy.deepcopy(self)

    @property
    def changed(self) -> bool:
        """Return whether the definition is another than the one that runs."""
        return self.definition != self.original

    def place(self, path: Path) -> Piece | Statement | None:
        """Return where a part of the definition was written, or else the nearest part around it."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.places:
                return self.places[path[:length]]
        return None

    @property
    def attributes(self) -> list[dict[str, Any]]:
        return self.definition["attributes"]

    @property
    def triggers(self) -> list[dict[str, Any]]:
        return self.definition["triggers"]

    @property
    def types(self) -> dict[str, str]:
        """Return the types of the attributes by their names."""
        return {each["name"]: each.get("type") or "text" for each in self.attributes}

    def attribute(self, name: str) -> dict[str, Any] | None:
        return next((each for each in self.attributes if each["name"] == name), None)

    def named(self, kind: str) -> list[str]:
        """Return the names of all conditions or transitions."""
        used = (each.get(kind) for each in self.triggers)
        known = (name for (of, name) in {**self.stored, **self.made} if of == kind)
        return [*dict.fromkeys(name for name in (*known, *used) if name)]

    def uses(self, kind: str, name: str) -> list[int]:
        """Return the places of the triggers that have this condition or transition."""
        return [place for place, each in enumerate(self.triggers) if each.get(kind) == name]

    def object(self, kind: str, name: str) -> dict[str, Any]:
        """Return the stored form of a named object."""
        return self.made.get((kind, name)) or self.stored.get((kind, name)) or {}

    def predicates(self, name: str) -> list[str]:
        """Return the predicates of a condition: one, unless triggers have different ones under its name."""
        used = [self.triggers[place]["predicate"] for place in self.uses(CONDITION, name)]
        return [*dict.fromkeys(used)] or [self.object(CONDITION, name)["predicate"]]

    def timeouts(self, name: str) -> list[Mapping[str, Any]]:
        """Return the timeouts of a transition as options of a trigger; without one, the flow's default."""
        used = [_timeout(self.triggers[place]) for place in self.uses(TRANSITION, name)]
        different = [each for place, each in enumerate(used) if each not in used[:place]]
        return [*different] or [_timeout(self.object(TRANSITION, name))]

    def performer(self, name: str) -> dict[str, Any]:
        """Return who performs a transition, as options of a trigger: as its triggers or its statement say."""
        used = [self.triggers[place] for place in self.uses(TRANSITION, name)]
        given = (used or [self.object(TRANSITION, name)])[0]
        return {option: given[option] for option in ("performer", "role") if given.get(option)}


def _timeout(options: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"timeout": options["timeout"]} if "timeout" in options else {}
