"""All that a transition of the paper's client does is an attempt; the client goes on and handles Ctrl-C."""

from __future__ import annotations

import signal

import pytest

from testkit.waiting import until
from workers.tests.conftest import pass_time
from workers.tests.test_baseworker import Db, Run, db, insert, output, paper, run, served, state

__all__ = ["db", "paper", "run"]
RETURN = "return \"a2='done', a3='ready', a4=(a4::integer+1)::text\""
ODD = "(type('E', (Exception,), {'__str__': lambda self: 1 / 0})())"

HOSTILE = [
    "return \"a2='x\\0'\"",
    "return \"a2='\\ud800'\"",
    "return type('T', (str,), {'strip': lambda self: 1 / 0, 'encode': lambda self: 1 / 0})('nowhere = 1')",
    "return type('O', (), {'__str__': lambda self: 1 / 0})()",
    "return 'x' * 40_000_000",
    "raise ValueError('\\ud800 \\0')",
    f"raise {ODD}",
    "raise SystemExit(0)",
    "raise GeneratorExit",
    "raise KeyboardInterrupt",
    "raise BaseException('bare')",
    "return self.wed_trans(payload)",
]


def attempts(db: Db, wid: int) -> list[str]:
    rows = db.execute("select outcome from wedsql.job_log where wid = %s order by id", [wid])
    return [outcome for (outcome,) in rows]


@pytest.mark.parametrize("answer", HOSTILE)
def test_it_is_counted_and_the_client_serves_on(paper: str, db: Db, run: Run, answer: str) -> None:
    bad = insert(db, paper)
    change = f"if payload['wid'] == {bad}: {answer}\n        {RETURN}"
    worker = run(paper, (RETURN, change), ("print (payload)", "pass"))
    until(lambda: attempts(db, bad) == ["failed"] * 3 + ["parked"], what="three attempts and an exception")
    good = insert(db, paper)
    until(lambda: state(db, paper, good) == ("done", "ready", "42"))
    assert worker.poll() is None


def test_a_child_that_a_transition_forked_does_not_speak_for_it(paper: str, db: Db, run: Run) -> None:
    worker = run(
        paper, (RETURN, f"import os\n        if os.fork() == 0: return 'a2=1'\n        os.wait(); {RETURN}")
    )
    wids = [insert(db, paper) for _ in range(3)]
    until(lambda: all(state(db, paper, wid) == ("done", "ready", "42") for wid in wids))
    assert [attempts(db, wid) for wid in wids] == [[]] * 3 and worker.poll() is None


def test_a_call_that_fails_as_a_whole_is_counted(paper: str, db: Db, run: Run) -> None:
    """Here because the transition broke the transaction of its step."""
    broken = "try: self._server.connection.execute('select 1/0')\n        except Exception: return 'a2=1'"
    worker = run(paper, (RETURN, broken))
    wid = insert(db, paper)
    until(lambda: attempts(db, wid) == ["failed"] * 3 + ["parked"], what="three attempts and an exception")
    assert worker.poll() is None


@pytest.mark.parametrize("swallow", [False, True])
def test_ctrl_c_works_also_when_the_transaction_was_just_ended(
    paper: str, db: Db, run: Run, swallow: bool
) -> None:
    wait = "print(payload); import time; time.sleep(60)"
    if swallow:
        wait = "print(payload)\n        try: import time; time.sleep(60)\n        except BaseException: pass"
    worker = run(paper, ("print (payload)", wait))
    wid = insert(db, paper)
    assert worker.stdout is not None and f"{wid}".encode() in worker.stdout.readline()
    db.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'ww-tr_aaa'")
    until(lambda: served(db)() is None)
    worker.send_signal(signal.SIGINT)
    text = output(worker)
    assert worker.returncode == 0 and "Traceback" not in text


def test_a_transient_rejection_waits_before_the_next_attempt(
    paper: str, db: Db, run: Run, connect: object
) -> None:
    wid = insert(db, paper)
    other = connect()  # type: ignore[operator]
    other.execute("begin")
    other.execute(f"select 1 from {paper}.wed_flow where wid = %s for update", [wid])
    worker = run(
        paper,
        ("print (payload)", "open(__file__ + '.runs', 'a').write('x')"),
        ("search_path=", "lock_timeout=10ms -c search_path="),
    )
    pass_time(3)
    other.execute("rollback")
    until(lambda: state(db, paper, wid) == ("done", "ready", "42"))
    runs = worker.args[-1] + ".runs"  # type: ignore[index,operator]
    with open(runs) as file:
        assert 1 < len(file.read()) < 20
    assert attempts(db, wid) == []
