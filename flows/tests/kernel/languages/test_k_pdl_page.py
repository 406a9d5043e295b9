"""docs/pdl.md: the example runs as printed."""

from __future__ import annotations

import doctest
import re
from typing import Any

import pytest

from flows import api
from flows.languages.pdl import compile_workflow, read
from flows.tests.kit import Kit
from flows.tests.pdl.test_docs_pdl import PAGE

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


def names(kit: Kit) -> dict[str, Any]:
    return {
        "start": kit.start,
        "jobs": kit.jobs,
        "work": lambda wid, name, **changes: kit.run(name, wid, **changes) and None,
        "perform": lambda person, role, wid, name, **changes: _complete(
            kit, person, role, wid, name, changes
        ),
        "fail": lambda person, role, wid, name, why: api.tasks.fail(
            taken(kit, person, role, wid, name), person, why, conn=kit.conn
        ),
        "status": kit.status,
    }


def taken(kit: Kit, person: str, role: str, wid: int, name: str) -> int:
    """Take a task of an instance, and return its number."""
    (job,) = [each.id for each in kit.pending(wid) if each.trname == name]
    return api.tasks.take(job, person, [f"r:{role}"], conn=kit.conn).job_id


def _complete(kit: Kit, person: str, role: str, wid: int, name: str, changes: dict[str, Any]) -> None:
    api.tasks.complete(taken(kit, person, role, wid, name), person, changes, conn=kit.conn)


def test_the_example_runs_as_printed(kit: Kit) -> None:
    page = PAGE.read_text(encoding="utf-8")
    text, session = (re.search(rf"```{kind}\n(.*?)```", page, re.DOTALL) for kind in ("pdl", "python"))
    assert text is not None and session is not None
    definition = compile_workflow(read(text[1])[0]).compiled.definition
    counts = f"{len(definition['attributes'])} attributes, {len(definition['triggers'])} triggers."
    assert page.count(counts) == 2
    api.flows.publish(kit.name, definition, conn=kit.conn)
    test = doctest.DocTestParser().get_doctest(session[1], names(kit), "docs/pdl.md", None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0
