"""Choosing the process of a file that becomes a flow: by its id, its name, or the name of its pool."""

from __future__ import annotations

from collections.abc import Collection

from flows.languages.bpmn.document.vocabulary import MODEL
from flows.languages.bpmn.document.xml import Tag


def with_elements(root: Tag, nodes: Collection[str]) -> list[Tag]:
    """Return the processes of a file that have any elements."""
    return [each for each in root.of(MODEL, "process") if any(part.name in nodes for part in each.children)]


def matching(root: Tag, wanted: str, nodes: Collection[str]) -> list[Tag]:
    """Return the processes that a name means, or those that can be meant without one."""
    processes, name = [*root.of(MODEL, "process")], _plain(wanted)
    if not name:
        full = with_elements(root, nodes)
        marked = [each for each in full if each.id == root.process]
        if len(marked) == 1:
            return marked
        return [each for each in full if each.flag("isExecutable")] or full
    by_id, shown = [each for each in processes if each.id == wanted.strip()], pools(root)
    return by_id or [
        each for each in processes if name in map(_plain, [each.get("name"), *shown.get(each.id, [])])
    ]


def unclear(root: Tag, wanted: str, nodes: Collection[str]) -> str:
    """Return why a name means no process or several, with those that there are."""
    found = [*root.of(MODEL, "process")] if wanted else with_elements(root, nodes)
    if not found:
        return "The file has no process with elements."
    shown = pools(root)
    listed = "; ".join(_described(each, shown.get(each.id, [])) for each in found)
    if not wanted:
        return f"Name the process that becomes the flow, with the option --process; found: {listed}."
    if count := len(matching(root, wanted, nodes)):
        return f"The file has {count} processes “{wanted[:60]}”; found: {listed}."
    return f"The file has no process “{wanted[:60]}”; found: {listed}."


def _described(process: Tag, pools: list[str]) -> str:
    """Return a process by its id, with its name and its pools for people."""
    called = [f"“{process.get('name')[:60]}”"] if process.get("name") else []
    called += [f"pool “{pool[:60]}”" for pool in pools]
    return f"{process.id[:60]} ({', '.join(called)})" if called else process.id[:60]


def pools(root: Tag) -> dict[str, list[str]]:
    """Return the names of the pools that show each process, by its id."""
    found: dict[str, list[str]] = {}
    for collaboration in root.of(MODEL, "collaboration"):
        for part in collaboration.of(MODEL, "participant"):
            if part.get("name"):
                found.setdefault(part.get("processRef").rpartition(":")[2], []).append(part.get("name"))
    return found


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold()
