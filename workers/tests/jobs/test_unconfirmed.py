"""Commits that no standby has confirmed are successes that a worker reports (docs/reliability.md)."""

from __future__ import annotations

import ast
import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from BaseWorker import BaseClass
from BaseWorker.server import _NOT_REPLICATED
from flows import api, replication
from flows.errors import DatabaseGone
from testkit.standby import missing_standby
from testkit.waiting import until
from wedsql_site.environment import CHECKOUT
from workers.tests.conftest import Shop

OPENS = {"psycopg.connect"}
# Connections that commit no step: they listen, read, install, prove or reconcile servers and databases.
NO_STEPS = {
    "wedsql_site/checks.py", "wedsql_site/postgres/launcher.py",
    "wedsql_site/postgres/process.py", "wedsql_site/supervisor/indexes.py",
}  # fmt: skip
WATCHED = {"BaseWorker/server.py": "_on_notice", "workers/client/connect.py": "workers.client.wire"}
HOW = pytest.mark.parametrize("how", ["pg_cancel_backend", "pg_terminate_backend"])


@pytest.fixture
def standby(dsn: str) -> Iterator[Callable[[], Any]]:
    return lambda: missing_standby(dsn)


def reports(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    """Return the fields of the records about jobs that were not confirmed."""
    return [vars(one) for one in caplog.records if "not confirmed by its standby" in one.getMessage()]


@HOW
@pytest.mark.parametrize("size", [1, 4])
def test_a_worker_logs_the_job_whose_commit_was_not_confirmed(
    how: str, size: int, shop: Shop, standby: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    shop.on("tr_one", lambda state, ctx: {"a": "done"})
    (wid,) = shop.start()
    with standby() as ended, ended.ending(how, times=1):
        shop.work(size)
    assert shop.status(wid) == "F"
    assert shop.one("select count(*) from wedsql.wed_trace where wid = %s", wid) == 2
    found = reports(caplog)
    assert found and {one["wid"] for one in found} == {wid}
    assert {one["levelno"] for one in found} == {logging.WARNING}


def test_nothing_is_reported_without_a_standby(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    shop.on("tr_one", lambda state, ctx: {"a": "done"})
    wids = shop.start(3)
    shop.finish(wids)
    assert reports(caplog) == []


class Paper(BaseClass):
    def wed_trans(self, payload: Any) -> str:
        return "a = 'done'"


@HOW
def test_the_worker_of_the_paper_reports_it(
    how: str, shop: Shop, standby: Callable[[], Any], dsn: str, caplog: pytest.LogCaptureFixture
) -> None:
    (wid,) = shop.start()
    paper = Paper("tr_one", make_conninfo(dsn, options=f"-c search_path={shop.flow}"))
    paper._server.connect()
    pid = paper._server.connection.info.backend_pid
    try:
        with standby() as ended, ended.ending(how, times=1, pid=pid):
            if how == "pg_cancel_backend":
                assert paper._step()
            else:
                with pytest.raises(psycopg.OperationalError):
                    paper._step()
        assert shop.status(wid) == "F"
        assert [one["wid"] for one in reports(caplog)] == [wid]
        assert not paper._server.take_unconfirmed()
    finally:
        paper._server.close()


def test_a_caller_of_the_api_is_told(
    shop: Shop, standby: Callable[[], Any], connect: Any, caplog: pytest.LogCaptureFixture
) -> None:
    own = connect()
    with standby() as ended, replication.unconfirmed() as around:
        with ended.ending(), replication.unconfirmed() as found:
            wid = api.instances.start(shop.flow, {}, conn=own)
        assert wid and len(found) == 1 and "A commit was not confirmed by a standby" in caplog.text
        with ended.ending():
            api.instances.start(shop.flow, {}, key="after the block", conn=own)
        assert (len(found), len(around)) == (1, 1)
        with ended.ending("pg_terminate_backend"), replication.unconfirmed() as found:
            with pytest.raises(DatabaseGone):
                api.instances.start(shop.flow, {}, key="one", conn=own)
        assert len(found) == 1
    with replication.unconfirmed() as found:
        assert api.instances.start(shop.flow, {}, key="one", conn=shop.db), "the start that had no answer"
    assert shop.one("select count(*) from wedsql.instance i join wedsql.flow f on f.id = i.flow_id"
                    " where f.name = %s", shop.flow) == 3  # fmt: skip
    assert found == []


def test_another_notice_is_no_commit_that_was_not_confirmed(shop: Shop, connect: Any) -> None:
    own = connect()
    with replication.unconfirmed() as found:
        api.instances.start(shop.flow, {}, conn=own)
        own.execute("do $$ begin raise warning 'another'; end $$")
    assert found == []


def test_limits_do_not_end_the_wait_and_the_server_counts_it(shop: Shop, standby: Callable[[], Any]) -> None:
    """What the documentation says about time limits and the health page."""
    own = shop.runner.wire.connection
    api.instances.start(shop.flow, {}, conn=own)  # the session has planned its statements
    own.execute("set statement_timeout = '1 s'")
    with standby() as ended:
        thread = threading.Thread(target=api.instances.start, args=(shop.flow, {}), kwargs={"conn": own})
        thread.start()
        waits = "select wedsql.commits_waiting('1.2 seconds')"
        until(lambda: ended.query(waits) == 1)
        assert ended.waiting == 1 and ended.query("select wedsql.commits_waiting('1 hour')") == 0
        with ended.ending():
            thread.join()
        assert ended.query(waits) == 0


def test_both_clients_know_the_notice_by_the_same_name() -> None:
    assert _NOT_REPLICATED == replication._SOURCE


def test_every_connection_of_the_product_that_commits_is_watched() -> None:
    packages = ("BaseWorker", "flows", "monitor", "pages", "wedsql_site", "workers")
    found = set()
    for path in (one for package in packages for one in (CHECKOUT / package).rglob("*.py")):
        where = str(path.relative_to(CHECKOUT))
        if "/tests/" not in where and _opens(path):
            found.add(where)
    assert found == {*NO_STEPS, *WATCHED}


def _opens(path: Path) -> bool:
    calls = [one.func for one in ast.walk(ast.parse(path.read_text())) if isinstance(one, ast.Call)]
    return any(isinstance(one, ast.Attribute) and ast.unparse(one) in OPENS for one in calls)
