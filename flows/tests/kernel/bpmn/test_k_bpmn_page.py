"""docs/bpmn.md: the example runs as printed."""

from __future__ import annotations

import doctest
import re
from typing import Any

import pytest

from flows import api
from flows.languages.bpmn import compile_process, read
from flows.tests.bpmn.test_docs_bpmn import PAGE
from flows.tests.kit import Kit
from flows.tests.people import pending

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


def names(kit: Kit) -> dict[str, Any]:
    def signal(name: str, data: dict[str, Any]) -> int | None:
        return api.signals.send(kit.name, name, data, conn=kit.conn).wid

    return {
        "signal": signal,
        "jobs": kit.jobs,
        "later": lambda time: kit.reap(time) and None,
        "complete": lambda person, wid, name: _complete(kit, person, wid, name),
        "status": kit.status,
    }


def _complete(kit: Kit, person: str, wid: int, name: str) -> None:
    """Take and complete a task, as one of those who handle the cases of the flow."""
    task = pending(kit, name, wid)
    api.tasks.take(task, person, [f"f:{kit.name}"], conn=kit.conn)
    api.tasks.complete(task, person, conn=kit.conn)


def test_the_example_runs_as_printed(kit: Kit) -> None:
    page = PAGE.read_text(encoding="utf-8")
    text, session = (re.search(rf"```{kind}\n(.*?)```", page, re.DOTALL) for kind in ("xml", "python"))
    assert text is not None and session is not None
    process, warnings = read(text[1].encode())
    made = compile_process(process)
    definition = made.compiled.definition
    counts = (
        f"{len(process.elements)} elements, {len(process.flows)} flows; "
        f"{len(definition['attributes'])} attributes, {len(definition['triggers'])} triggers."
    )
    assert page.count(counts) == 2 and [*warnings, *made.warnings] == []
    kit.publish(definition)
    test = doctest.DocTestParser().get_doctest(session[1], names(kit), "docs/bpmn.md", None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0
