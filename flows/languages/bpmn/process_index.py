"""A process whose parts are found without reading all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import cached_property
from typing import TypeVar

from flows.languages.bpmn.model import Element, Flow, Process

Part = TypeVar("Part", Element, Flow)


def _grouped(parts: Iterable[Part], key: Callable[[Part], str | None]) -> Mapping[str | None, list[Part]]:
    found: defaultdict[str | None, list[Part]] = defaultdict(list)
    for part in parts:
        found[key(part)].append(part)
    return dict(found)


class IndexedProcess(Process):
    """A process that does not change any more."""

    @classmethod
    def of(cls, process: Process) -> IndexedProcess:
        """Return the same process with indexes."""
        return cls(**{each.name: getattr(process, each.name) for each in fields(process)})

    @cached_property
    def _inner(self) -> Mapping[str | None, list[Element]]:
        return _grouped(self.elements.values(), lambda each: each.scope)

    @cached_property
    def _boundary(self) -> Mapping[str | None, list[Element]]:
        return _grouped(self.elements.values(), lambda each: each.attached)

    @cached_property
    def _leaving(self) -> Mapping[str | None, list[Flow]]:
        return _grouped(self.flows.values(), lambda each: each.source)

    @cached_property
    def _entering(self) -> Mapping[str | None, list[Flow]]:
        return _grouped(self.flows.values(), lambda each: each.target)

    @cached_property
    def _by_event(self) -> Mapping[str | None, list[Element]]:
        return _grouped((each for each in self.elements.values() if each.by_event), lambda each: each.scope)

    def inner(self, scope: str | None) -> list[Element]:
        """Return the elements of a sub-process, or of the process itself."""
        return [*self._inner.get(scope, ())]

    def by_event(self, scope: str | None) -> list[Element]:
        """Return the event sub-processes of a scope."""
        return [*self._by_event.get(scope, ())]

    def boundary(self, host: str) -> list[Element]:
        """Return the boundary events of an activity."""
        return [*self._boundary.get(host, ())]

    def leaving(self, element: str) -> list[Flow]:
        """Return the flows that leave an element."""
        return [*self._leaving.get(element, ())]

    def entering(self, element: str) -> list[Flow]:
        """Return the flows that lead to an element."""
        return [*self._entering.get(element, ())]
