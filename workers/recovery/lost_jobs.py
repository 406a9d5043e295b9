"""Counts the death of a process as an attempt at its job, so that a job that kills workers gets parked."""

from __future__ import annotations

import logging
import time
from pathlib import Path

import psycopg

from workers.client import jobs as taking
from workers.client import results
from workers.client.wire import Wire
from workers.logs import summarize
from workers.messages import PROCESS_DIED
from workers.recovery.dead_workers import dead_journals
from workers.recovery.journal import Note

log = logging.getLogger("workers.lost")

# Seconds to repeat a report: a dead process's session may live longer and still hold the job.
REPORT_SECONDS = 15.0


def report_lost(wire: Wire, folder: Path, actor: str) -> int:
    """Report the jobs of dead processes of this machine; return how many were counted."""
    counted = 0
    for path, notes in dead_journals(folder):
        answers = [_report(wire, note, actor) for note in notes]
        counted += sum(answers)
        if all(answers) or time.time() - path.stat().st_mtime > REPORT_SECONDS:
            path.unlink(missing_ok=True)
    return counted


def _report(wire: Wire, note: Note, actor: str) -> bool:
    """Return whether the kernel took the report; False if another worker holds the job or it is gone."""
    which = {"flow": note.flow, "wid": note.wid, "job": note.job_id, "worker": actor}
    try:
        if not note.running:
            wire.round(taking.release(note, actor))
            return True
        failure = results.fail(note.flow, [(note, PROCESS_DIED, "")], "lost", actor)
        answers = wire.round(*results.retake(note.flow, note, [failure], actor))
    except psycopg.Error as error:
        log.warning("%s job %s of a dead process: %s", note.flow, note.job_id, summarize(error), extra=which)
        return True
    log.warning("%s job %s: %s", note.flow, note.job_id, PROCESS_DIED, extra=which | {"outcome": "lost"})
    return any(answer.ntuples for answer in answers if answer.nfields == results.FAILED_COLUMNS)
