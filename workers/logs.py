"""Log fields of a job: which one it is and how it ended, never values of its state."""

from __future__ import annotations

from typing import Protocol

from flows.error_text import place_of, summarize

__all__ = ["log_fields", "place_of", "summarize"]


class Named(Protocol):
    """A job with its instance and transition."""

    wid: int
    job_id: int
    trname: str


def log_fields(flow: str, job: Named, worker: str) -> dict[str, object]:
    """Return the fields of a log record about this job, for `extra=`."""
    return {"flow": flow, "wid": job.wid, "job": job.job_id, "transition": job.trname, "worker": worker}
