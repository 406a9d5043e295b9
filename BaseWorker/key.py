"""The key with which a worker logs in: from a file or the environment, never from a command line."""

from __future__ import annotations

import os
from pathlib import Path


def read_key() -> str:
    """Return the key in the file that WEDSQL_WORKER_KEY_FILE names, else that in WEDSQL_WORKER_KEY, else ''.

    Called for each connection, so that a new secret is used as soon as the file has it. Raises OSError and
    ValueError for a file that cannot be read.
    """
    file = os.environ.get("WEDSQL_WORKER_KEY_FILE", "")
    if not file:
        return os.environ.get("WEDSQL_WORKER_KEY", "").strip()
    key = Path(file).read_text(encoding="ascii").strip()
    if not key:
        raise ValueError(f"{file} is empty")
    return key
