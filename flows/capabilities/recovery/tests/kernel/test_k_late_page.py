"""The example of late results in docs/cases.md runs as shown."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from flows import api as kernel
from flows.errors import WedError
from flows.tests.kit import Kit, broken
from flows.types import ClaimedJob

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="leases are of no mode")]

PAGE = (Path(__file__).parents[5] / "docs" / "cases.md").read_text()
(SESSION,) = (one for one in re.findall(r"```python\n(.*?)```", PAGE, re.S) if "late_results" in one)


def names(kit: Kit) -> dict[str, Any]:
    """Return the names that the session uses, for a flow of the test."""

    def finish(job: ClaimedJob, changes: dict[str, str]) -> str:
        try:
            kit.complete(job, changes)
        except WedError as error:
            return f"rejected ({error.code})"
        return "accepted"

    def lease_again() -> ClaimedJob:
        assert kit.reap("2 minutes")["expired"] == 1
        kit.clock("3 minutes")
        return kit.lease("tr_weigh")

    repairs = SimpleNamespace(
        decide_late=lambda: kernel.repairs.decide_late(conn=kit.conn),
        late_results=lambda wid, undecided: kernel.repairs.late_results(
            wid, undecided=undecided, conn=kit.conn
        ),
        repair=lambda *given, actor: kernel.repairs.repair(*given, actor=actor, conn=kit.conn),
    )
    instances = SimpleNamespace(
        start=lambda _flow, state: kernel.instances.start(kit.name, state, conn=kit.conn)
    )
    api = SimpleNamespace(instances=instances, repairs=repairs)
    found = {"api": api, "lease": lambda: kit.lease("tr_weigh")}
    return found | {"lease_again": lease_again, "finish": finish}


def test_the_example_of_late_results_runs_as_shown(kit: Kit) -> None:
    kit.attrs("weight", "label")
    kit.trig("tr_weigh", "weight is null")
    kit.trig("tr_label", "weight is not null and label is null")
    kit.final("label is not null")
    session = doctest.DocTestParser().get_doctest(SESSION, names(kit), "docs/cases.md", None, 0)
    assert doctest.DocTestRunner().run(session).failed == 0
    assert broken(kit) == []
