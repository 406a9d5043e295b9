"""Notices of the kernel about transitions of which a worker never gets a job, such as a misspelled one."""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import Any

log = logging.getLogger("wedsql.workers")

_STATE = "01WD1"


def note(diag: Any) -> None:
    """Log a notice of the kernel, once per process and version of the flow, which is in its detail."""
    if diag.sqlstate == _STATE:
        _log_once(diag.message_primary or "", diag.message_hint or "", diag.message_detail or "")


@lru_cache(maxsize=1000)
def _log_once(message: str, hint: str, _detail: str) -> None:
    log.warning("%s", f"{message} {hint}".strip())
