"""Which lane each element is in: the innermost one that has a name."""

from __future__ import annotations

from collections.abc import Iterator

from flows.languages.bpmn.document import options
from flows.languages.bpmn.document.vocabulary import MODEL
from flows.languages.bpmn.document.xml import Tag


def lanes(lane_set: Tag, outer: str = "") -> Iterator[tuple[str, str]]:
    """Return the elements of the lanes with the names of these, those of inner lanes later.

    A lane without a name is that around it; `wedsql:role` of a lane is used instead of its name.
    """
    for lane in lane_set.of(MODEL, "lane"):
        shown = " ".join(lane.get("name").split())
        name = options.given(lane).get("role", shown or outer).strip()
        for ref in lane.of(MODEL, "flowNodeRef"):
            yield ref.text.strip().rpartition(":")[2], name
        for inner in lane.of(MODEL, "childLaneSet"):
            yield from lanes(inner, name)
