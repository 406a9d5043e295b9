"""The paper's client: figure 3 as a separate program, without Django."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from testkit.waiting import until
from wedsql_site.environment import CHECKOUT

FIGURE = (Path(__file__).parent / "figure3.txt").read_text()
WED = """
insert into wed_attr (aname, adv) values ('a1', 'ready'), ('a2', null), ('a3', null), ('a4', '41');
insert into wed_trig (tgname, trname, cpred, timeout, max_attempts, backoff)
values ('t', 'tr_aaa', $$ a1 = 'ready' and a2 is null $$, '3d18h', 3, '0');
insert into wed_trig (cpred, cfinal) values ($$ a2 = 'done' $$, true);
"""
Db = psycopg.Connection[Any]
Run = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def db(connect: Callable[..., Db]) -> Db:
    return connect()


@pytest.fixture
def paper(loaded: Callable[[str], str]) -> str:
    return loaded(WED)


def _hears_ctrl_c() -> None:
    """Restore SIGINT, which a shell makes background jobs and their children ignore."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def run(dsn: str, tmp_path: Path) -> Iterator[Run]:
    """Runs the figure with another user and database, and with replacements in its text."""
    started: list[subprocess.Popen[bytes]] = []

    def start(flow: str, *changes: tuple[str, str], user: str | None = None) -> subprocess.Popen[bytes]:
        dbs = make_conninfo(dsn, application_name="ww-tr_aaa", options=f"-c search_path={flow}", user=user)
        text = FIGURE.replace("'user=aaa dbname=aaa application_name=ww-tr_aaa'", repr(dbs))
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        script = tmp_path / f"worker{len(started)}.py"
        script.write_text(text)
        process = subprocess.Popen(
            [sys.executable, "-u", str(script)],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(CHECKOUT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            preexec_fn=_hears_ctrl_c,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def insert(db: Db, flow: str) -> int:
    """Start an instance as in the paper."""
    row = db.execute(f"insert into {flow}.wed_flow default values returning wid").fetchone()
    assert row is not None
    return int(row[0])


def state(db: Db, flow: str, wid: int) -> tuple[Any, ...] | None:
    return db.execute(f"select a2, a3, a4 from {flow}.wed_flow where wid = %s", [wid]).fetchone()


def served(db: Db) -> Callable[[], Any]:
    return lambda: db.execute(
        "select w.waiting from wedsql.worker w join pg_stat_activity a on a.pid = w.backend_pid"
        " where w.name = 'ww-tr_aaa' and w.waiting and a.application_name = 'ww-tr_aaa'"
    ).fetchone()


def output(process: subprocess.Popen[bytes]) -> str:
    return process.communicate(timeout=60)[0].decode()


def test_the_figure_runs_word_for_word(paper: str, db: Db, run: Run) -> None:
    before = insert(db, paper)
    worker = run(paper)
    until(lambda: state(db, paper, before) == ("done", "ready", "42"), what="the job of before its start")
    until(served(db), what="a registered, waiting worker with its name")
    after = insert(db, paper)
    until(lambda: state(db, paper, after) == ("done", "ready", "42"), what="the job of after its start")
    worker.send_signal(signal.SIGINT)
    text = output(worker)
    assert worker.returncode == 0
    assert f"{{'wid': {before}, 'a1': 'ready', 'a2': None, 'a3': None, 'a4': '41'}}" in text
    assert "Traceback" not in text
    row = db.execute(
        "select actor from wedsql.wed_trace where wid = %s and trw = 'tr_aaa'", [after]
    ).fetchone()
    assert row == ("ww-tr_aaa",)
    assert served(db)() is None


def test_it_is_woken_by_a_new_job(paper: str, db: Db, run: Run) -> None:
    """It would look by itself an hour later."""
    run(paper, ("wakeup_interval = 5", "wakeup_interval = 3600"))
    until(served(db), what="a registered, waiting worker with its name")
    after = insert(db, paper)
    until(lambda: state(db, paper, after) == ("done", "ready", "42"), what="the job")


def test_it_does_not_import_django() -> None:
    code = (
        "import BaseWorker, sys\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('django', 'flows', 'workers')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("change", "expected_text"),
    [
        (("trname = 'tr_aaa'", "wakeup_interval = 5"), "needs a trname"),
        (("trname = 'tr_aaa'", "trname = ''"), "needs a trname"),
        (("trname = 'tr_aaa'", "trname = 'tr_bbb'"), "it has: tr_aaa"),
        (("wakeup_interval = 5", "wakeup_interval = 0"), "wakeup_interval is a number"),
        (("MyWorker.dbs,", "'',"), "needs dbs"),
        (("def wed_trans", "def wed_transition"), "wed_trans"),
    ],
)
def test_missing_settings_are_reported_at_the_start(
    paper: str, db: Db, run: Run, change: tuple[str, str], expected_text: str
) -> None:
    worker = run(paper, change)
    assert expected_text in output(worker) and worker.returncode != 0


def test_a_schema_that_is_no_flow_is_reported_at_the_start(db: Db, run: Run) -> None:
    worker = run("pg_catalog")
    assert "No flow is in reach" in output(worker)


def test_the_short_form_names_the_flow(paper: str, db: Db, run: Run, dsn: str) -> None:
    named = ("application_name=ww-tr_aaa", f"application_name=ww-tr_aaa flow={paper}")
    worker = run(paper, (f"search_path={paper}", "search_path=wedsql"), named)
    until(served(db))
    wid = insert(db, paper)
    until(lambda: state(db, paper, wid) == ("done", "ready", "42"))
    worker.send_signal(signal.SIGINT)
    assert worker.wait(60) == 0


@pytest.mark.parametrize(
    ("answer", "outcome", "expected_text"),
    [
        ("return None", "aborted", "returned nothing"),
        ("return ''", "aborted", "returned nothing"),
        ("raise ValueError('b\\0d')", "failed", "ValueError: bd"),
        ("return 'nowhere = 1'", "failed", "nowhere"),
        ("return \"a2 = 'x' where true; drop table wed_flow\"", "failed", ""),
    ],
)
def test_what_fails_is_recorded_and_ends_in_an_exception(
    paper: str, db: Db, run: Run, answer: str, outcome: str, expected_text: str
) -> None:
    worker = run(paper, ("return \"a2='done', a3='ready', a4=(a4::integer+1)::text\"", answer))
    wid = insert(db, paper)
    query = "select status::text from wedsql.instance where wid = %s"
    until(lambda: db.execute(query, [wid]).fetchone() == ("E",), what="an exception after three attempts")
    log = db.execute(
        "select outcome, message from wedsql.job_log where wid = %s order by id", [wid]
    ).fetchall()
    assert [row[0] for row in log] == [outcome] * 3 + ["parked"] and expected_text in log[0][1]
    assert state(db, paper, wid) == (None, None, "41")
    assert worker.poll() is None, "the worker serves on"


def test_ctrl_c_in_a_transition_leaves_the_job_for_others(paper: str, db: Db, run: Run) -> None:
    hanging = run(paper, ("print (payload)", "print(payload); import time; time.sleep(60)"))
    wid = insert(db, paper)
    assert hanging.stdout is not None and f"{wid}".encode() in hanging.stdout.readline()
    hanging.send_signal(signal.SIGINT)
    assert "Traceback" not in output(hanging) and hanging.returncode == 0
    run(paper)
    until(lambda: state(db, paper, wid) == ("done", "ready", "42"))
    assert db.execute("select 1 from wedsql.job_log where wid = %s", [wid]).fetchone() is None


def test_two_of_them_share_the_work_and_a_restart_of_the_server_is_survived(
    paper: str, db: Db, run: Run
) -> None:
    first, second = run(paper), run(paper)
    query = "select count(*) from wedsql.worker where waiting and %s = any (serves)"
    until(lambda: db.execute(query, [f"{paper}:tr_aaa"]).fetchone() == (2,))
    wids = [insert(db, paper) for _ in range(20)]
    until(lambda: all(state(db, paper, wid) == ("done", "ready", "42") for wid in wids))
    db.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'ww-tr_aaa'")
    wid = insert(db, paper)
    until(lambda: state(db, paper, wid) == ("done", "ready", "42"))
    assert first.poll() is None and second.poll() is None


def test_a_role_of_the_paper_s_kind_is_enough(paper: str, db: Db, run: Run) -> None:
    run(paper, user="wed_worker")
    wid = insert(db, paper)
    until(lambda: state(db, paper, wid) == ("done", "ready", "42"))


def test_numbers_of_any_length_reach_the_transition(paper: str, db: Db, run: Run) -> None:
    """A document may contain an integer with more digits than Python's int() accepts."""
    values = "('doc', '{\"n\": 1e5000}', 'jsonb')"
    db.execute(f"insert into {paper}.wed_attr (aname, adv, type) values {values}")
    wid = insert(db, paper)
    worker = run(paper, ("print (payload)", "assert payload['doc']['n'] > 10**4999"))
    until(lambda: state(db, paper, wid) == ("done", "ready", "42"))
    assert worker.poll() is None
