"""Options of what has none, such as sequence flows, loops, expressions and messages."""

from __future__ import annotations

from collections.abc import Iterator

from flows.languages.bpmn.document import options
from flows.languages.bpmn.document.xml import Tag
from flows.languages.bpmn.model import ACTIVITIES, EVENTS, GATEWAYS

_READ = {*ACTIVITIES, *GATEWAYS, *EVENTS, "dataObject", "dataObjectReference"}
"""Elements whose options are checked where they are read."""


def stray(root: Tag, process: Tag, used: set[tuple[int, str]]) -> Iterator[tuple[Tag, str]]:
    """Return the options that nothing reads, in the process and around all processes, with their elements."""
    around = (part for part in root.children if part.name != "process")
    inside = (each for part in (*around, process) for each in part.walk())
    for tag in (root, *inside):
        if tag.name not in _READ:
            for name in options.given(tag):
                if (id(tag), name) not in used and (tag.name, name) != ("lane", "role"):
                    yield tag, name
