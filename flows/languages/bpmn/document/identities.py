"""The elements of a file by their ids: those of one process, and those that all processes share."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

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


def with_ids(process: Tag, nodes: AbstractSet[str]) -> None:
    """Give nodes and sequence flows of a process that have no id, which is optional, one of their own."""
    used = {tag.id for tag in process.walk() if tag.id}
    for tag in process.walk():
        if tag.space == MODEL and tag.name in nodes and not tag.id:
            number = 1
            while f"{tag.name}-{number}" in used:
                number += 1
            used.add(f"{tag.name}-{number}")
            tag.attributes = {**tag.attributes, ("", "id"): f"{tag.name}-{number}"}
        if (tag.space, tag.name) == (MODEL, "sequenceFlow") and not tag.id:
            wanted = f"{local(tag.get('sourceRef'))}-{local(tag.get('targetRef'))}"
            id_, number = wanted, 1
            while id_ in used:
                number += 1
                id_ = f"{wanted}-{number}"
            used.add(id_)
            tag.attributes = {**tag.attributes, ("", "id"): id_}


_GLOBAL = {"globalTask": "task", "globalUserTask": "userTask", "globalManualTask": "manualTask",
           "globalScriptTask": "scriptTask", "globalBusinessRuleTask": "businessRuleTask"}  # fmt: skip


def renamed_adhoc(process: Tag) -> dict[str, tuple[str, bool]]:
    """Let ad-hoc sub-processes be read as sub-processes, and return their order, and whether they cancel."""
    found = {}
    for tag in process.walk():
        if (tag.space, tag.name) == (MODEL, "adHocSubProcess"):
            tag.name = "subProcess"
            found[tag.id] = (tag.get("ordering") or "Parallel", tag.flag("cancelRemainingInstances", True))
            own = {("", "ordering"), ("", "cancelRemainingInstances")}
            tag.attributes = {key: value for key, value in tag.attributes.items() if key not in own}
    return found


def renamed_calls(root: Tag, process: Tag) -> None:
    """Let calls of global tasks of the file be read as these tasks."""
    tasks = {each.id: each for each in root.children if each.space == MODEL and each.name in _GLOBAL}
    for tag in process.walk() if tasks else ():
        called = tasks.get(local(tag.get("calledElement")))
        if (tag.space, tag.name) == (MODEL, "callActivity") and called is not None:
            tag.name = _GLOBAL[called.name]
            own = {key: value for key, value in tag.attributes.items() if key != ("", "calledElement")}
            language = called.get("scriptLanguage")
            tag.attributes = own | ({("", "scriptFormat"): language} if language else {})
            tag.children += [each for each in called.children if each.name == "script"]


def renamed_transactions(process: Tag) -> set[str]:
    """Let transactions be read as the sub-processes that they are, and return their ids."""
    found = set()
    for tag in process.walk():
        if (tag.space, tag.name) == (MODEL, "transaction"):
            tag.name = "subProcess"
            tag.attributes = {key: value for key, value in tag.attributes.items() if key != ("", "method")}
            found.add(tag.id)
    return found
