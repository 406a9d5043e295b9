"""The example of docs/integrity.md runs as shown."""

from __future__ import annotations

import doctest
import re
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from flows import api
from flows.errors import WedError
from flows.tests.kit import Kit, broken

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="the page is about no mode")]

PAGE = (Path(__file__).parents[4] / "docs" / "integrity.md").read_text()
(DEFINITION,) = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
SESSION = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))


def names(kit: Kit) -> dict[str, Any]:
    """Return what the page takes for granted, on the test's flow."""

    def wid() -> int:
        return int(kit.one("select max(wid) from wedsql.instance"))

    def work(transition: str, changes: dict[str, Any]) -> None:
        try:
            kit.run(transition, wid(), **changes)
        except WedError as error:
            print(error.code, error.message)

    def refusal(operation: str) -> str:
        why = api.repairs.preview(wid(), operation, {}, conn=kit.conn).refusal
        assert why is not None
        return f"{why.code} {why.message}".replace(f" {wid()}", "")

    return {
        "api": SimpleNamespace(
            instances=SimpleNamespace(start=lambda _flow, state: kit.start(**state)),
            repairs=SimpleNamespace(repair=partial(api.repairs.repair, conn=kit.conn)),
        ),
        "work": work,
        "fail": lambda transition, code: kit.fail(transition, wid(), "no", sqlstate=code) and None,
        "status": lambda: kit.status(wid()),
        "reason": lambda: kit.instance(wid()).reason,
        "refusal": refusal,
    }


def test_the_example_of_the_page(kit: Kit) -> None:
    kit.rows("select set_config('search_path', %s, false)", [kit.name])
    kit.rows(DEFINITION)
    session = doctest.DocTestParser().get_doctest(SESSION, names(kit), "docs/integrity.md", None, 0)
    runner = doctest.DocTestRunner()
    runner.run(session)
    assert (len(session.examples), runner.failures) == (9, 0)
    assert broken(kit) == []
