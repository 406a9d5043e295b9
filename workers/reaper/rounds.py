"""The task of the reaper's worker, which ends overdue work."""

from __future__ import annotations

import logging
import os
import time

import psycopg
from django.conf import settings

from flows import api
from flows.errors import WedError
from workers.alerts import beside
from workers.client.connect import opener
from workers.client.wire import ConnectionLost, Wire
from workers.logs import summarize
from workers.reaper.bulk import continue_bulk_operations
from workers.reaper.cases import decide_on_late_results, let_policies_act, sign_new_cases
from workers.reaper.children import continue_children
from workers.reaper.disk import DiskReporter
from workers.reaper.figures import FigureCounter
from workers.reaper.old_rows import delete_old_rows
from workers.reaper.report import WORKER, check, log_round
from workers.reaper.scheduled import continue_rematches, publish_scheduled
from workers.reaper.slas import SlaClocks

log = logging.getLogger("workers.tasks")

REAP_LIMIT = 200
_ROUNDS = 10
_MAINTAIN_EVERY = 3600.0
_maintained = -_MAINTAIN_EVERY
_disk_reporter = DiskReporter()
_figure_counter = FigureCounter()
_sla_clocks = SlaClocks()


def reap() -> dict[str, int]:
    """Run up to ten rounds of flows.api.reap, until nothing is overdue; return the counts."""
    global _maintained
    total: dict[str, int] = {}
    if settings.PROCESS == "reaper":
        beside.start()
    wire = _reaper_wire()
    try:
        _disk_reporter.report(wire.connection)
        for _ in range(_ROUNDS):
            counts = api.reap(REAP_LIMIT, conn=wire.connection)
            log_round(wire.connection, counts)
            total = {key: total.get(key, 0) + count for key, count in counts.items()}
            if max(counts.values(), default=0) < REAP_LIMIT:
                break
        continue_children(wire.connection)
        publish_scheduled(wire.connection)
        continue_rematches(wire.connection)
        continue_bulk_operations(wire.connection)
        decide_on_late_results(wire.connection)
        let_policies_act(wire.connection)
        sign_new_cases(wire.connection)
        _figure_counter.count(wire.connection)
        _sla_clocks.advance(wire.connection)
        if time.monotonic() - _maintained > _MAINTAIN_EVERY:
            api.maintain(conn=wire.connection)
            _maintained = time.monotonic()
            api.remove_old_alerts(conn=wire.connection)
            delete_old_rows(wire.connection)
            check(wire.connection)
    except (WedError, psycopg.Error, ConnectionLost) as error:
        log.warning("A round of the reaper failed: %s", summarize(error), extra={"worker": WORKER})
        wire.close()
    return total


_reaper: tuple[int, Wire] | None = None


def _reaper_wire() -> Wire:
    global _reaper
    if _reaper is None or _reaper[0] != os.getpid():
        _reaper = os.getpid(), Wire(opener("wedsql-reaper"))
    return _reaper[1]
