"""Handlers that end, stop or break their process: each is one attempt, and the other jobs are done."""

from __future__ import annotations

import pytest

from testkit.cases import pairs
from testkit.processes import Processes
from testkit.waiting import until
from workers.tests.processes.test_cluster import Db, all_final, cluster, db, flow, start, statuses

pytestmark = pytest.mark.slow
__all__ = ["db", "flow"]

# The final state of the instance: parked after two attempts, or final because the result counts.
ENDS = {"exit": "E", "poison": "E", "stop": "E", "swallow": "E", "close": "F"}


@pytest.mark.parametrize(("kind", "pool"), pairs(sorted(ENDS), ["cluster", "wedworker"], 2))
def test_it_costs_attempts_of_its_own_job_only(
    processes: Processes, flow: str, db: Db, kind: str, pool: str
) -> None:
    if pool == "cluster":
        cluster(processes, WEDSQL_Q_WORKERS="1")
    else:
        processes.manage("wedworker", "--flow", flow)
    bad = start(db, flow, kind)
    until(processes.marks, seconds=120, what=processes.output)
    good = start(db, flow, "mark", 5)
    until(all_final(db, good), seconds=120, what=processes.output)
    until(lambda: statuses(db, bad) == {ENDS[kind]: 1}, seconds=120, what=processes.output)
    rows = db.execute("select outcome from wedsql.job_log where wid = %s order by id", [bad[0]]).fetchall()
    expected = ["lost", "lost", "parked"] if ENDS[kind] == "E" else []
    assert [outcome for (outcome,) in rows] == expected
    assert not db.execute("select 1 from wedsql.job_log where wid = any(%s)", [good]).fetchall()
    until(all_final(db, start(db, flow, "mark", 3)), seconds=120, what=processes.output)
