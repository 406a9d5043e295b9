"""Who performs a task as jBPM writes it: as constant inputs of the task (ActorId, GroupId, Priority)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from flows.languages.bpmn.document.vocabulary import MODEL
from flows.languages.bpmn.document.xml import Tag, local
from flows.languages.bpmn.reader.loops import Used

_KINDS: Mapping[str, str] = {
    "ActorId": "candidateUsers",
    "SwimlaneActorId": "candidateUsers",
    "GroupId": "candidateGroups",
    "Priority": "priority",
}
_SHOWN = frozenset({"TaskName", "NodeName", "Skippable", "Locale", "CreatedBy"})
"""Inputs that the task already says, or that mean nothing here."""


def people(tag: Tag, used: Used) -> Iterator[tuple[str, str, Tag]]:
    """Return the statements of constant inputs about the people of a task: kind, text, and place."""
    outer = [*tag.of(MODEL, "ioSpecification")]
    inputs = {each.id: each for part in outer for each in part.of(MODEL, "dataInput")}
    if any(each.get("name") in _KINDS for each in inputs.values()):
        used |= {
            (id(each), "") for part in outer for each in (part, *part.of(MODEL, "inputSet", "outputSet"))
        }
    for given in tag.of(MODEL, "dataInputAssociation"):
        target = "".join(local(each.text) for each in given.of(MODEL, "targetRef"))
        named = inputs.get(target)
        name = named.get("name") if named is not None else ""
        if named is None or name not in _KINDS.keys() | _SHOWN:
            continue
        text = "".join(part.text for each in given.of(MODEL, "assignment") for part in each.of(MODEL, "from"))
        used |= {(id(given), ""), (id(named), "")}
        if name in _KINDS:
            yield _KINDS[name], text, given
