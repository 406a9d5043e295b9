"""The example of docs/recovery.md runs as shown."""

from __future__ import annotations

import doctest
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, broken

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="the page is about no mode")]

PAGE = (Path(__file__).parents[3] / "docs" / "recovery.md").read_text()
(DEFINITION,) = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
SESSION = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))


def names(kit: Kit) -> dict[str, Callable[..., Any] | SimpleNamespace]:
    """Return what the page takes for granted, on the test's flow."""
    offered = ("start", "compensations", "roll_back", "abort")
    calls: dict[str, Callable[..., Any]] = {
        name: partial(getattr(api, name), conn=kit.conn) for name in offered
    }
    calls["start"] = lambda _flow, state: kit.start(**state)

    def wid() -> int:
        return int(kit.one("select max(wid) from wedsql.instance"))

    def work(transition: str, changes: dict[str, Any]) -> None:
        kit.run(transition, wid(), **changes)

    return {
        "api": SimpleNamespace(**calls),
        "work": work,
        "status": lambda: kit.status(wid()),
        "state": lambda: {name: kit.state(wid())[name] for name in ("seat", "payment", "refund", "letter")},
        "jobs": lambda: kit.jobs(wid()),
        "history": lambda: [(row.seq, row.trw, row.compensates_seq) for row in kit.trace(wid())],
    }


def test_the_example_of_the_page(kit: Kit) -> None:
    kit.rows("select set_config('search_path', %s, false)", [kit.name])
    kit.rows(DEFINITION)
    session = doctest.DocTestParser().get_doctest(SESSION, names(kit), "docs/recovery.md", None, 0)
    runner = doctest.DocTestRunner()
    runner.run(session)
    assert (len(session.examples), runner.failures) == (15, 0)
    assert broken(kit) == []
