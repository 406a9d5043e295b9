"""The task of a Django-Q worker that performs transitions."""

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

from workers.client.connect import worker_opener
from workers.client.wire import ConnectionLost, Wire
from workers.discovery import autodiscover
from workers.jobs.plans import Plan
from workers.jobs.process_state import SavedState
from workers.jobs.runner import Runner
from workers.logs import summarize
from workers.process.service import SLICE, perform
from workers.recovery.journal import Journal, journal_dir
from workers.recovery.lost_jobs import report_lost

log = logging.getLogger("workers.tasks")

# Looking up more single jobs than this costs the database more than taking the oldest.
_MOST_LOOKUPS = 16


@dataclass
class _ProcessState:
    """What a worker process keeps between tasks; created again after a fork."""

    pid: int
    runner: Runner


_state: _ProcessState | None = None


def run_jobs(
    flow: str, job_ids: Sequence[int], names: Sequence[str], size: int = 1, lease: float | None = None
) -> int:
    """Perform those of these jobs that are still free, `size` per commit; return how many handlers ran.

    With a long list of ids, or one commit per step, the task performs whatever is ready instead, oldest
    first, for a slice of time. The steps commit here, in this process; nothing is reported through Django-Q.
    If the database is unreachable, the jobs stay in the pool.
    """
    runner = _runner()
    plan = Plan(flow, tuple(names), size, lease)
    before = runner.performed
    ids = list(job_ids) if size > 1 and len(job_ids) <= _MOST_LOOKUPS else None
    until = time.monotonic() + SLICE
    try:
        while perform(runner, plan, ids, seconds=SLICE) and time.monotonic() < until:
            pass
        runner.times.report(runner.wire)
    except (ConnectionLost, psycopg.Error) as error:
        log.warning("%s: %s", flow, summarize(error), extra={"flow": flow, "worker": runner.actor})
        runner.wire.close()
    if runner.must_be_replaced:
        sys.exit("This process is replaced: a handler left it unfit for others.")
    return runner.performed - before


def _runner() -> Runner:
    global _state
    if _state is None or _state.pid != os.getpid():
        name = f"qcluster@{socket.gethostname()}:{os.getpid()}"
        journal = Journal(journal_dir())
        Finalize(None, journal.close, exitpriority=10)
        runner = Runner(Wire(worker_opener(name)), autodiscover(), name, journal)
        runner.timeout_errors, runner.longest_run = (TimeoutException,), float(Conf.TIMEOUT)
        runner.saved_state = SavedState()
        _state = _ProcessState(os.getpid(), runner)
        try:
            report_lost(_state.runner.wire, journal_dir(), name)
        except ConnectionLost as error:
            log.warning("No database yet: %s", summarize(error), extra={"worker": name})
    return _state.runner
