"""The examples of docs/recovery.md run as shown."""

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

PAGE = (Path(__file__).parents[5] / "docs" / "recovery.md").read_text()
EXAMPLES = [section for section in PAGE.split("\n## ") if "```sql" in section]


def names(kit: Kit) -> dict[str, Callable[..., Any] | SimpleNamespace]:
    """Return what the page takes for granted, on the test's flow."""
    offered = {
        "compensations": ("list", "roll_back", "abort"),
        "repairs": ("preview", "repair", "run_policies"),
    }
    topics = {
        topic: SimpleNamespace(
            **{each: partial(getattr(getattr(api, topic), each), conn=kit.conn) for each in names}
        )
        for topic, names in offered.items()
    }
    topics["instances"] = SimpleNamespace(start=lambda _flow, state: kit.start(**state))
    topics["repairs"].save_policies = lambda _flow, policies, actor: api.repairs.save_policies(
        kit.name, policies, actor, conn=kit.conn
    )

    def wid() -> int:
        return int(kit.one("select max(wid) from wedsql.instance"))

    def work(transition: str, changes: dict[str, Any]) -> None:
        kit.run(transition, wid(), **changes)

    return {
        "api": SimpleNamespace(**topics),
        "work": work,
        "fail": lambda transition: kit.fail(transition, wid()) and None,
        "status": lambda: kit.status(wid()),
        "state": lambda: {name: kit.state(wid())[name] for name in ("seat", "payment", "refund", "letter")},
        "jobs": lambda: kit.jobs(wid()),
        "history": lambda: [(row.seq, row.trw, row.compensates_seq) for row in kit.trace(wid())],
    }


@pytest.mark.parametrize(
    ("section", "lines"), list(zip(EXAMPLES, (15, 12, 8), strict=True)), ids=["undo", "replay", "policies"]
)
def test_the_examples_of_the_page(kit: Kit, section: str, lines: int) -> None:
    (definition,) = re.findall(r"```sql\n(.*?)```", section, re.DOTALL)
    kit.rows("select set_config('search_path', %s, false)", [kit.name])
    kit.rows(definition)
    text = "\n".join(re.findall(r"```python\n(.*?)```", section, re.DOTALL))
    session = doctest.DocTestParser().get_doctest(text, names(kit), "docs/recovery.md", None, 0)
    runner = doctest.DocTestRunner()
    runner.run(session)
    assert (len(session.examples), runner.failures) == (lines, 0)
    assert broken(kit) == []
