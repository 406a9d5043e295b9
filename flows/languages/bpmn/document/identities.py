"""The elements of a file by their ids: those of one process, and those that all processes share."""

from __future__ import annotations

from collections.abc import Iterator

from flows.languages.bpmn.document.vocabulary import MODEL
from flows.languages.bpmn.document.xml import Tag, local


def elements(root: Tag, process: Tag) -> Iterator[Tag]:
    """Return the elements of BPMN that a process can refer to, without those of other processes.

    What extensions contain is of other programs, whatever its namespace.
    """
    pending = [root]
    while pending:
        tag = pending.pop()
        yield tag
        inner = [each for each in tag.children if each.space == MODEL and each.name != "extensionElements"]
        pending += [each for each in reversed(inner) if each.name != "process" or each is process]


def with_ids(process: Tag) -> None:
    """Give the sequence flows of a process that have no id, which is optional, one of their own."""
    used = {tag.id for tag in process.walk() if tag.id}
    for tag in process.walk():
        if (tag.space, tag.name) == (MODEL, "sequenceFlow") and not tag.id:
            wanted = f"{local(tag.get('sourceRef'))}-{local(tag.get('targetRef'))}"
            id_, number = wanted, 1
            while id_ in used:
                number += 1
                id_ = f"{wanted}-{number}"
            used.add(id_)
            tag.attributes = {**tag.attributes, ("", "id"): id_}


def renamed_transactions(process: Tag) -> set[str]:
    """Let transactions be read as the sub-processes that they are, and return their ids."""
    found = set()
    for tag in process.walk():
        if (tag.space, tag.name) == (MODEL, "transaction"):
            tag.name = "subProcess"
            tag.attributes = {key: value for key, value in tag.attributes.items() if key != ("", "method")}
            found.add(tag.id)
    return found
