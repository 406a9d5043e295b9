"""Renewal of this process's leases while a handler runs.

A lease is short, so that its job is soon offered again when a machine dies; a handler may take long. This
thread renews the leases, never beyond the job's own timeout.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Sequence

import psycopg

from workers.client import jobs as taking
from workers.client.claims import Taken
from workers.client.wire import ConnectionLost, Wire
from workers.jobs.plans import LEASE

# Answers to a renewal after which the job is not held any more.
_LOST = {"WD105", "WD203", "WD204", "WD205"}


class LeaseRenewer:
    """Renews leases after each third of their length, over the runner's wire (which has a lock)."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._span = LEASE
        self._held: dict[int, tuple[Taken, float | None]] = {}
        self._thread: threading.Thread | None = None
        self.lost: frozenset[int] = frozenset()
        """The held jobs that a renewal has shown to be lost."""

    def hold(self, jobs: Sequence[Taken], span: float) -> None:
        """Renew these leases only from now on, `span` seconds at a time."""
        now = time.monotonic()
        self._span = span
        self.lost = frozenset()
        self._held = {j.job_id: (j, None if j.timeout is None else now + j.timeout) for j in jobs}
        if jobs and self._thread is None:
            self._thread = threading.Thread(target=self._renew, name="wed-lease-renewer", daemon=True)
            self._thread.start()

    def prolong(self, job: Taken, until: float) -> None:
        """Renew the lease until this moment, because the handler asked for more time."""
        if job.job_id in self._held:
            self._held[job.job_id] = (job, until)

    def _renew(self) -> None:
        while True:
            time.sleep(self._span / 3)
            for job, until in list(self._held.values()):
                left = self._span if until is None else min(self._span, until - time.monotonic())
                if left > 0 and job.job_id in self._held:
                    with contextlib.suppress(ConnectionLost):  # the completion fails then
                        self._extend(job, left)

    def _extend(self, job: Taken, left: float) -> None:
        try:
            self._wire.round(taking.extend(job, left))
        except psycopg.Error as error:
            held = self._held
            if error.sqlstate in _LOST and held.pop(job.job_id, None) is not None:
                self.lost |= {job.job_id}
