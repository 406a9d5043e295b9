"""Where an instance is in the diagram of a flow that was imported from BPMN, PDL or a graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from flows import api
from flows.languages.bpmn import Process, read
from flows.languages.bpmn.diagram.figures import Drawing, drawings
from flows.languages.bpmn.writer.from_graph import as_process
from flows.languages.graph import read as read_graph
from flows.languages.pdl.model import FAILED, NOT_READY, READY, RUNNING, SUCCEEDED
from flows.languages.pdl.picture import process_of
from flows.queries.definitions import DRAWN, FlowInfo

_PRESENT = (READY, RUNNING)
_STATES = (*_PRESENT, NOT_READY, SUCCEEDED, FAILED)


def drawn(source: Mapping[str, Any]) -> tuple[Process, list[Drawing]]:
    """Return the process that a flow was translated from, and its drawings."""
    language, facts = source["language"], source["map"]
    form = source["format"] if language == "graph" else facts["workflow" if language == "pdl" else "process"]
    return _drawn(language, source["text"], form)


@lru_cache(maxsize=16)
def _drawn(language: str, text: str, form: str) -> tuple[Process, list[Drawing]]:
    """Return the process of a source.

    `form` is the format of a graph, or the process or workflow that was chosen.
    """
    if language == "pdl":
        found = process_of(text, form)
    else:
        found = as_process(read_graph(text, form)) if language == "graph" else read(text.encode(), form)[0]
    return found, drawings(found)


def tokens(state: Mapping[str, Any], process: Process, origins: Mapping[str, str]) -> Counter[str]:
    """Return the tokens of a state by the elements at which they have arrived.

    `origins` has the sequence flow or element of each attribute. An activity of PDL that is ready or running
    has one.
    """
    found: Counter[str] = Counter()
    for name, number in state.items():
        origin = origins.get(name, "")
        element = process.flows[origin].target if origin in process.flows else origin
        if element and number:
            found[element] += int(number in _PRESENT) if number in _STATES else int(number)
    return found


def undecided(flow: FlowInfo, state: Mapping[str, Any], reason: str | None) -> list[str]:
    """Return the names of the elements at which an exception has no way on; none for another reason."""
    source = api.flows.read_source(flow.name) if reason == "STUCK" else None
    if source is None or source["language"] not in DRAWN:
        return []
    choosing = source["map"].get("choosing", {})
    return [*dict.fromkeys(name for tokens_, name in choosing.items() if int(state.get(tokens_) or 0) > 0)]
