"""The only callables that a Django-Q worker of this product runs."""

from __future__ import annotations

import logging
import os
import socket
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.util import Finalize

import psycopg
from django_q.conf import Conf
from django_q.exceptions import TimeoutException

from flows import api
from flows.errors import WedError
from workers.catalog import Plan
from workers.connect import journal_dir, opener
from workers.discovery import autodiscover
from workers.journal import Journal
from workers.logs import brief
from workers.lost import report_lost
from workers.reaper.disk import Surveyor
from workers.reaper.tidy import tidy
from workers.reaper.told import WORKER, check, tell
from workers.runner import Runner
from workers.service import SLICE, perform
from workers.surroundings import Surroundings
from workers.wire import ConnectionLost, Wire

log = logging.getLogger("workers.tasks")

RUN_JOBS = "workers.tasks.run_jobs"
REAP = "workers.tasks.reap"
ALLOWED = frozenset({RUN_JOBS, REAP})

REAP_LIMIT = 200
_ROUNDS = 10
_MAINTAIN_EVERY = 3600.0
# Looking for so many single jobs costs the database more than taking the oldest.
_PLENTY = 16


@dataclass
class _Hand:
    """What a worker process keeps between tasks; made anew after a fork."""

    pid: int
    runner: Runner


_hand: _Hand | None = None
_maintained = -_MAINTAIN_EVERY
_surveyor = Surveyor()


def run_jobs(
    flow: str, job_ids: Sequence[int], names: Sequence[str], size: int = 1, lease: float | None = None
) -> int:
    """Perform those of these jobs that are still free, `size` a commit; how many handlers were run.

    A long list says that there is plenty: then, and where each step is its own commit, whatever is ready is
    performed, oldest first, for a slice of time. The steps commit here, in this process; nothing is reported
    through Django-Q. A database that is out of reach leaves the jobs where they are.
    """
    runner = _runner()
    plan = Plan(flow, tuple(names), size, lease)
    before = runner.performed
    ids = list(job_ids) if size > 1 and len(job_ids) <= _PLENTY else None
    until = time.monotonic() + SLICE
    try:
        while perform(runner, plan, ids, seconds=SLICE) and time.monotonic() < until:
            pass
        runner.times.report(runner.wire)
    except (ConnectionLost, psycopg.Error) as error:
        log.warning("%s: %s", flow, brief(error), extra={"flow": flow, "worker": runner.actor})
        runner.wire.close()
    if runner.spoiled:
        sys.exit("This process is replaced: a handler left it unfit for others.")
    return runner.performed - before


def reap() -> dict[str, int]:
    """Rounds of what time does (flows.api.reap) until nothing is overdue, ten at most; the counts."""
    global _maintained
    total: dict[str, int] = {}
    wire = _reaper_wire()
    try:
        _surveyor.look(wire.connection)
        for _ in range(_ROUNDS):
            counts = api.reap(REAP_LIMIT, conn=wire.connection)
            tell(wire.connection, counts)
            total = {key: total.get(key, 0) + count for key, count in counts.items()}
            if max(counts.values(), default=0) < REAP_LIMIT:
                break
        if time.monotonic() - _maintained > _MAINTAIN_EVERY:
            api.maintain(conn=wire.connection)
            _maintained = time.monotonic()
            tidy(wire.connection)
            check(wire.connection)
    except (WedError, psycopg.Error, ConnectionLost) as error:
        log.warning("A round of the reaper failed: %s", brief(error), extra={"worker": WORKER})
        wire.close()
    return total


def _runner() -> Runner:
    global _hand
    if _hand is None or _hand.pid != os.getpid():
        name = f"qcluster@{socket.gethostname()}:{os.getpid()}"
        journal = Journal(journal_dir())
        Finalize(None, journal.close, exitpriority=10)
        runner = Runner(Wire(opener(name)), autodiscover(), name, journal)
        runner.ends, runner.longest = (TimeoutException,), float(Conf.TIMEOUT)
        runner.surroundings = Surroundings()
        _hand = _Hand(os.getpid(), runner)
        try:
            report_lost(_hand.runner.wire, journal_dir(), name)
        except ConnectionLost as error:
            log.warning("No database yet: %s", brief(error), extra={"worker": name})
    return _hand.runner


_reaper: tuple[int, Wire] | None = None


def _reaper_wire() -> Wire:
    global _reaper
    if _reaper is None or _reaper[0] != os.getpid():
        _reaper = os.getpid(), Wire(opener("wedsql-reaper"))
    return _reaper[1]
