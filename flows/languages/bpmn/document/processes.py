"""The processes of a file that have any elements."""

from __future__ import annotations

from dataclasses import dataclass

from flows.languages.bpmn.document.process_choice import matching, pools, with_elements
from flows.languages.bpmn.document.vocabulary import MODEL
from flows.languages.bpmn.document.xml import definitions
from flows.languages.bpmn.model import ACTIVITIES, EVENTS, GATEWAYS


@dataclass(frozen=True)
class ListedProcess:
    """A process by its id, its name, and the name of the first pool that shows it.

    `elements` is their number; `meant` says that no other one of its file can be meant without a choice.
    """

    id: str
    name: str
    pool: str
    elements: int = 0
    meant: bool = False

    @property
    def title(self) -> str:
        """Return the title for people."""
        return self.name or self.pool or self.id


def processes(content: bytes) -> list[ListedProcess]:
    """Return the processes of a file in their order. Raises BadBpmn."""
    root = definitions(content)
    shown, nodes = pools(root), {*ACTIVITIES, *GATEWAYS, *EVENTS}
    meant = matching(root, "", nodes)
    return [
        ListedProcess(
            each.id, each.get("name"), next(iter(shown.get(each.id, [])), ""),
            sum(part.space == MODEL and part.name in nodes for part in each.walk()),
            meant=len(meant) == 1 and each is meant[0],
        )
        for each in with_elements(root, nodes)
    ]  # fmt: skip
