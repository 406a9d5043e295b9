"""What the tests of a file leave in the site's database is not met by the next file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User

from flows import api
from flows.tests.pages import unique
from monitor.tests.conftest import PARCELS, Parcels
from testkit import leftovers

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("DATABASE_URL" in os.environ, reason="nothing is removed from another server"),
]
# As files leave them: history, a broken invariant, what the reaper wrote, and what only operators may see.
LEFT = """
insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome)
select j.id, j.wid, j.tgid, i.flow_id, j.trname, now(), 'failed'
from wedsql.job_pool j join wedsql.instance i using (wid);
select wedsql.report_disk(500, 1000);
select wedsql.reap();
select wedsql.check_invariants(10);
select wedsql.register_worker('cluster', 'left', 'host', 1, '{}');
select wedsql.count_history()
"""
ROWS = """
select format('select %1$L from wedsql.%1$I having count(*) > 0', relname) from pg_class
where relnamespace = 'wedsql'::regnamespace and relkind in ('r', 'p') and not relispartition order by relname
"""


def rows(session: psycopg.Connection[Any]) -> list[str]:
    """Return the tables of the kernel that have rows."""
    queries = [query for (query,) in session.execute(ROWS).fetchall()]
    return sorted(name for (name,) in session.execute(" union all ".join(queries)).fetchall())


def leave_much(session: psycopg.Connection[Any]) -> None:
    name = unique()
    api.flows.create(name, conn=session)
    with session.transaction():
        session.execute(f"set local search_path = {name}, wedsql")
        session.execute(PARCELS)
    parcels = Parcels(name, session)
    parcels.start()
    parcels.make_exception(parcels.start())
    session.execute(LEFT)
    api.drafts.open(f"{name}_new", definition={"attributes": [], "triggers": []}, actor="left", conn=session)
    User.objects.create_user("left")


@pytest.mark.parametrize("file", ["monitor/tests/test_x.py", "tests/access/test_x.py"])
def test_no_row_is_left(connect: Callable[..., psycopg.Connection[Any]], file: str) -> None:
    session = connect()
    leftovers.remove(Path(file))
    before = rows(session)
    leave_much(session)
    found = set(rows(session)) - set(before)
    assert {"flow", "draft", "wed_trace", "job_log", "disk", "beat", "worker", "figure"} <= found

    leftovers.remove(Path(file))

    assert rows(session) == before
    assert not User.objects.filter(username="left").exists()


def test_where_processes_run_on_only_flows_and_drafts_are_removed(
    connect: Callable[..., psycopg.Connection[Any]],
) -> None:
    session = connect()
    leave_much(session)

    leftovers.remove(Path("tests/browser/test_x.py"))

    assert {"worker", "beat"} <= {*rows(session)}
    assert {"flow", "draft", "instance", "wed_trace", "job_pool"} & {*rows(session)} == set()
    assert User.objects.filter(username="left").exists()
    leftovers.remove(Path("monitor/tests/test_x.py"))


def test_no_device_is_left_for_the_next_file_of_browsers(connect: Callable[..., Any]) -> None:
    """Each test in a browser has a new device, and a person can have 50."""
    session = connect()
    for number in range(3):
        api.offline.device_seen("left", f"phone-of-a-file-{number}", {}, conn=session)
    assert len(api.offline.devices("left", conn=session)) == 3
    leftovers.remove(Path("tests/browser/offline/test_x.py"))
    assert api.offline.devices("left", conn=session) == []
