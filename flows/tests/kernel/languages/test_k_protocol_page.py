"""The examples of docs/protocol.md, run as written by each role that it names."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from flows import api
from flows.tests.kit import Connection, Kit
from testkit.waiting import until

pytestmark = pytest.mark.kernel
CHECKOUT = Path(__file__).resolve().parents[4]
PAGE = (CHECKOUT / "docs" / "protocol.md").read_text(encoding="utf-8")
SQL = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
FLOW = "orders"


@pytest.fixture
def orders(connect: Callable[..., Connection]) -> Iterator[Kit]:
    """The flow of the page with its role."""
    admin = connect()
    api.flows.create(FLOW, conn=admin)
    kit = Kit(FLOW, connect)
    kit.attr("payment", "open")
    for transition in ("tr_charge", "tr_pack", "tr_deliver"):
        kit.trig(transition, "payment = 'open'")
    kit.final("payment = 'closed'")
    kit.one("select wedsql.open_flow_role(%s)", [FLOW])
    yield kit
    kit.one("select wedsql.close_flow_role(%s)", [FLOW])
    api.flows.drop(FLOW, force=True, conn=admin)


@pytest.fixture(params=[FLOW, "wed_worker"])
def session(request: pytest.FixtureRequest, orders: Kit, dsn: str) -> Iterator[Connection]:
    """A session of a role that the page names."""
    with closing(psycopg.connect(make_conninfo(dsn, user=request.param, options=""), autocommit=True)) as own:
        yield own


def perform(session: Connection, block: str, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Run the statements of a block; a column name is replaced by its value in the last row."""
    answers = []
    statements = [re.sub(r"--[^\n]*", "", part).strip() for part in re.split(r";[^\n]*(?:\n|$)", block)]
    for statement in filter(None, statements):
        call, inside = statement.split("(", 1) if "(" in statement else (statement, "")
        for name in ("wid", "job_id", "claim"):
            known = row.get(name)
            inside = re.sub(rf"\b{name}\b(?!')", "null" if known is None else str(known), inside)
        cursor = session.execute(f"{call}({inside}" if inside else call)  # type: ignore[call-overload]
        if cursor.description:
            names = [column.name for column in cursor.description]
            found = [dict(zip(names, values, strict=True)) for values in cursor.fetchall()]
            row |= found[0] if found and "job_id" in names else {}
            answers += found
    return answers


def test_the_page_has_the_examples_that_are_tried() -> None:
    assert [re.findall(r"(?:orders|wedsql)\.(\w+)", block) for block in SQL[:4]] == [
        ["take", "complete_many"],
        ["hold", "complete_held"],
        ["lease", "extend", "release"],
        ["fail_many"],
    ]


def test_a_job_in_a_transaction(orders: Kit, session: Connection) -> None:
    wid = orders.start()
    answers = perform(session, SQL[0], {})
    assert (answers[0]["wid"], answers[1]["ok"]) == (wid, True)
    assert orders.state(wid) == {"payment": "paid"}


def test_jobs_held_by_the_session(orders: Kit, session: Connection) -> None:
    wid = orders.start()
    answers = perform(session, SQL[1], {})
    assert answers[0]["wid"] == wid and orders.state(wid) == {"payment": "paid"}


def test_a_lease(orders: Kit, session: Connection) -> None:
    wid = orders.start()
    answers = perform(session, SQL[2], {})
    assert answers[0]["wid"] == wid and answers[0]["claim"] and "extend" in answers[1]
    assert orders.logged(wid) == ["released"]


def test_a_failed_attempt(orders: Kit, session: Connection) -> None:
    wid = orders.start()
    row: dict[str, Any] = {}
    perform(session, SQL[2].split("-- committed")[0], row)
    assert perform(session, SQL[3], row)[0]["attempts"] == 1
    assert orders.logged(wid) == ["failed"]


@pytest.mark.skipif("DATABASE_URL" in os.environ, reason="the roles of that server may want passwords")
def test_figure_3_runs_as_the_flows_role(orders: Kit, dsn: str, tmp_path: Path) -> None:
    """Run the program of the page; only the server and the name of the database are replaced."""
    program = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
    place = psycopg.conninfo.conninfo_to_dict(dsn)
    assert 'dbs = "user=orders dbname=wed ' in program
    script = tmp_path / "worker.py"
    script.write_text(program.replace("dbname=wed ", f"dbname={place['dbname']} "))
    wid = orders.start()
    worker = subprocess.Popen(
        [sys.executable, str(script)],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(CHECKOUT),
            "PGHOST": str(place["host"]),
            "PGPORT": str(place.get("port") or 5432),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        until(lambda: orders.state(wid) == {"payment": "paid"} or worker.poll() is not None)
        again = orders.start()
        until(lambda: orders.state(again) == {"payment": "paid"} or worker.poll() is not None)
    finally:
        worker.send_signal(signal.SIGINT)
        output = worker.communicate(timeout=60)[0].decode()
    assert (orders.state(wid), orders.state(again)) == ({"payment": "paid"},) * 2, output
    assert orders.trace(again)[-1].actor == "ww-charge (orders)"
