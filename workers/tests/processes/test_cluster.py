"""The Django-Q cluster as in production: real processes on the test database, killed in many ways."""

from __future__ import annotations

import os
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from flows import api
from testkit.processes import Processes, alive, children, descendants
from testkit.waiting import until

pytestmark = pytest.mark.slow

ACTS = """
insert into wed_attr (aname, type, adv) values
  ('a', 'text', null), ('n', 'integer', '0'), ('kind', 'text', 'mark');
insert into wed_trig (tgname, trname, cpred, timeout, max_attempts, backoff) values
  ('mark',   'act_mark',   $$ kind = 'mark' and a is null $$,   '10 s', 3, '0.1 s'),
  ('again',  'act_again',  $$ kind = 'again' and n < 5 $$,      '10 s', 3, '0.1 s'),
  ('slow',   'act_slow',   $$ kind = 'slow' and a is null $$,   '20 s', 9, '0.1 s'),
  ('poison', 'act_poison', $$ kind = 'poison' and a is null $$, '10 s', 2, '0.1 s'),
  ('exit',   'act_exit',   $$ kind = 'exit' and a is null $$,   '2 s',  2, '0.1 s'),
  ('close',  'act_close',  $$ kind = 'close' and a is null $$,  '2 s',  2, '0.1 s'),
  ('stop',   'act_stop',   $$ kind = 'stop' and a is null $$,   '1 s',  2, '0.1 s'),
  ('swallow', 'act_swallow', $$ kind = 'swallow' and a is null $$, '1 s', 2, '0.1 s'),
  ('driver', 'act_driver', $$ kind = 'driver' and a is null $$, '10 s', 9, '1 hour'),
  ('hang',   'act_hang',   $$ kind = 'hang' and a is null $$,   '1 s',  9, '1 hour');
insert into wed_trig (cpred, cfinal) values ($$ a is not null or n >= 5 $$, true);
"""

Db = psycopg.Connection[Any]


@pytest.fixture
def flow(loaded: Callable[[str], str]) -> str:
    """A flow of the test handlers: the attribute `kind` selects the handler of an instance."""
    return loaded(ACTS)


@pytest.fixture
def db(connect: Callable[..., Db]) -> Db:
    return connect()


def start(db: Db, flow: str, kind: str, count: int = 1) -> list[int]:
    return [
        r.wid for r in api.instances.start_many(flow, [{"kind": kind}] * count, conn=db) if r.wid is not None
    ]


def statuses(db: Db, wids: list[int]) -> Counter[str]:
    query = "select status::text from wedsql.instance where wid = any(%s)"
    return Counter(status for (status,) in db.execute(query, [wids]))


def all_final(db: Db, wids: list[int]) -> Callable[[], bool]:
    return lambda: statuses(db, wids) == {"F": len(wids)}


def killed_in_a_handler(processes: Processes, flow: str, db: Db) -> int:
    """Return an instance that is final although the first process that ran its handler was killed."""
    (wid,) = start(db, flow, "slow")
    until(processes.marks, what=processes.output)
    os.kill(int(processes.marks()[0].split()[-1]), signal.SIGKILL)
    until(lambda: len(processes.marks()) == 2, what=processes.output)
    (processes.folder / "ledger.go").touch()
    until(all_final(db, [wid]), what=processes.output)
    return wid


def cluster(processes: Processes, name: str = "wedsql", **more: str) -> subprocess.Popen[bytes]:
    """Start a qcluster with two workers and one commit per step, unless overridden."""
    return processes.manage("qcluster", **{"Q_CLUSTER_NAME": name, "WEDSQL_Q_WORKERS": "2", **more})


def forks(main: subprocess.Popen[bytes]) -> list[int]:
    """Return sentinel, workers, monitor and pusher, once all have started."""
    return until(
        lambda: (found := descendants(main.pid)) and len(found) >= 5 and found, what="a whole cluster"
    )


def workers_of(main: subprocess.Popen[bytes]) -> list[int]:
    """Return the two worker processes, which the sentinel starts first."""
    (sentinel,) = children(main.pid)
    return children(sentinel)[:2]


@pytest.mark.parametrize("mode", ["step", "batch"])
def test_it_performs_every_job_once_and_stops_on_sigterm(
    processes: Processes, flow: str, db: Db, mode: str
) -> None:
    first = start(db, flow, "mark", 30)
    main = cluster(processes, WEDSQL_Q_MODE=mode)
    until(all_final(db, first), what=processes.output)
    second = start(db, flow, "again", 6)
    until(all_final(db, second), what=processes.output)
    done = Counter(line.rsplit(" ", 1)[0] for line in processes.marks())
    assert set(done.values()) == {1} and len(done) == 30 + 6 * 5
    below = forks(main)
    main.send_signal(signal.SIGTERM)
    assert main.wait(60) == 0
    assert not [pid for pid in below if alive(pid)]


def test_workers_killed_while_they_wait_do_not_stop_the_others(
    processes: Processes, flow: str, db: Db
) -> None:
    main = cluster(processes)
    until(all_final(db, start(db, flow, "mark")), what=processes.output)
    victims = workers_of(main)
    for pid in victims:  # one of the two waits inside the queue's lock
        os.kill(pid, signal.SIGKILL)
    until(lambda: not {*victims} & {*descendants(main.pid)} and len(descendants(main.pid)) == 5)
    until(all_final(db, start(db, flow, "mark", 10)), what=processes.output)


def test_a_worker_killed_in_a_handler_loses_nothing(processes: Processes, flow: str, db: Db) -> None:
    main = cluster(processes)
    wid = killed_in_a_handler(processes, flow, db)
    steps = db.execute("select count(*) from wedsql.wed_trace where wid = %s and trw = 'act_slow'", [wid])
    assert steps.fetchone() == (1,)
    log = db.execute("select outcome from wedsql.job_log where wid = %s", [wid]).fetchall()
    assert log == [("lost",)]
    assert alive(main.pid)


def test_a_handler_that_kills_workers_is_parked_and_the_cluster_continues(
    processes: Processes, flow: str, db: Db
) -> None:
    cluster(processes)
    poisoned = start(db, flow, "poison", 2)
    until(lambda: statuses(db, poisoned) == {"E": 2}, what=processes.output)
    rows = db.execute(
        "select attempts, state::text from wedsql.job_pool where wid = any(%s) and tgid > 0", [poisoned]
    )
    assert rows.fetchall() == [(2, "K"), (2, "K")]
    assert len([line for line in processes.marks() if "act_poison" in line]) == 4
    until(all_final(db, start(db, flow, "mark", 10)), what=processes.output)


@pytest.mark.parametrize("whom", ["main", "group"])
def test_no_process_is_left_behind(processes: Processes, flow: str, db: Db, whom: str) -> None:
    main = cluster(processes)
    until(all_final(db, start(db, flow, "mark")), what=processes.output)
    below = forks(main)
    if whom == "main":
        main.kill()
    else:
        os.killpg(main.pid, signal.SIGTERM)
    main.wait(60)
    until(lambda: not [pid for pid in below if alive(pid)], what="orphans")


def test_a_signal_to_the_whole_group_lets_a_handler_finish(processes: Processes, flow: str, db: Db) -> None:
    """The signal reaches the main process alone, which stops the others in order; none is killed by it."""
    main = cluster(processes)
    (wid,) = start(db, flow, "slow")
    until(processes.marks, what=processes.output)
    below = forks(main)
    assert {os.getpgid(pid) for pid in below}.isdisjoint({os.getpgid(main.pid)})
    os.killpg(main.pid, signal.SIGTERM)
    (processes.folder / "ledger.go").touch()
    assert main.wait(60) == 0
    assert statuses(db, [wid]) == {"F": 1} and len(processes.marks()) == 1
    assert not [pid for pid in below if alive(pid)]


def test_a_killed_pusher_is_replaced_and_woken(processes: Processes, flow: str, db: Db) -> None:
    main = cluster(processes)
    until(all_final(db, start(db, flow, "mark")), what=processes.output)
    query = (
        "select pid from wedsql.worker where kind = 'cluster' and exists (select 1 where %s = any (serves))"
    )
    row = db.execute(query, [f"{flow}:act_mark"]).fetchone()
    assert row is not None
    os.kill(row[0], signal.SIGKILL)
    until(all_final(db, start(db, flow, "mark", 5)), what=processes.output)
    until(lambda: [r for r in db.execute(query, [f"{flow}:act_mark"]) if r[0] != row[0]])
    assert alive(main.pid)


def test_it_outlives_its_connections(processes: Processes, flow: str, db: Db) -> None:
    main = cluster(processes)
    until(all_final(db, start(db, flow, "mark")), what=processes.output)
    db.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'qcluster%'"
    )
    until(all_final(db, start(db, flow, "mark", 5)), what=processes.output)
    assert alive(main.pid)


def test_the_reaper_works_while_every_worker_hangs(processes: Processes, flow: str, db: Db) -> None:
    reaper = cluster(processes, "reaper", WEDSQL_PROCESS="reaper", DATABASE_URL=processes.reaper_uri)
    until(lambda: db.execute("select 1 from wedsql.beat where name = 'reaper'").fetchone())
    cluster(processes)
    hanging = start(db, flow, "hang", 2)
    until(lambda: len(processes.marks()) == 2, what=processes.output)
    query = (
        "select count(*) from wedsql.job_log where wid = any(%s) and outcome = 'timeout' and actor = 'reaper'"
    )
    until(lambda: db.execute(query, [hanging]).fetchone() == (2,), what=processes.output)
    (beat,) = db.execute("select seen_at from wedsql.beat where name = 'reaper'").fetchone() or (None,)
    until(
        lambda: (
            db.execute("select seen_at > %s from wedsql.beat where name = 'reaper'", [beat]).fetchone()
            == (True,)
        )
    )
    reaper.send_signal(signal.SIGTERM)
    assert reaper.wait(60) == 0


def test_two_kinds_of_workers_share_the_jobs_and_none_is_run_twice(
    processes: Processes, flow: str, db: Db
) -> None:
    cluster(processes)
    processes.manage("wedworker", "--processes", "2", "--flow", flow)
    query = "select kind from wedsql.worker where %s = any (serves)"
    until(lambda: len(db.execute(query, [f"{flow}:act_mark"]).fetchall()) >= 3, what=processes.output)
    wids = start(db, flow, "mark", 300)
    until(all_final(db, wids), what=processes.output)
    done = [line.split()[0] for line in processes.marks()]
    assert len(done) == len(set(done)) == 300
    assert len({line.split()[-1] for line in processes.marks()}) >= 2
