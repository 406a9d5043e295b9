"""The processes of a file that have any elements."""

from __future__ import annotations

from dataclasses import dataclass

from flows.languages.bpmn.choosing import pools, with_elements
from flows.languages.bpmn.model import ACTIVITIES, EVENTS, GATEWAYS
from flows.languages.bpmn.xml import parse


@dataclass(frozen=True)
class ListedProcess:
    """A process by its id, its name, and the name of the first pool that shows it."""

    id: str
    name: str
    pool: str


def processes(content: bytes) -> list[ListedProcess]:
    """Return the processes of a file in their order. Raises BadBpmn."""
    root = parse(content)
    shown = pools(root)
    found = with_elements(root, {*ACTIVITIES, *GATEWAYS, *EVENTS})
    return [
        ListedProcess(each.id, each.get("name"), next(iter(shown.get(each.id, [])), "")) for each in found
    ]
