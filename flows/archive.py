"""Finished instances leave the database for compressed JSON lines and can be read back.

Each is one document. The file is on disk before the database forgets: a crash between the two repeats
documents, never loses one, and a reader takes the last document of each number.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flows.api.connection import rows, value

BATCH = 500


def archive_flow(flow: str, directory: Path, *, batch: int = BATCH, conn: Any = None) -> Iterator[int]:
    """Move what the flow's retention lets go into `directory`; yields how many left, batch by batch.

    Each batch is its own transaction when the connection is in autocommit mode. What cannot leave is told in
    wedsql.trouble, or locked, and stops no other. Raises UnknownFlow, OSError.
    """
    before: list[int] = []
    while found := rows(conn, "select wid, document from wedsql.retirable(%s, %s)", (flow, batch)):
        wids = [wid for wid, _ in found]
        if wids == before:
            return
        _append(directory, flow, [document for _, document in found])
        left = value(conn, "select wedsql.retire(%s, %s::integer[])", (flow, wids))
        yield left
        before = [] if left else wids


def _append(directory: Path, flow: str, documents: list[dict[str, Any]]) -> None:
    """Write one gzip member a month to <flow>-<year>-<month>.jsonl.gz and wait until it is on disk."""
    directory.mkdir(parents=True, exist_ok=True)
    months: dict[str, list[str]] = {}
    for document in documents:
        months.setdefault(document["instance"]["finished_at"][:7], []).append(
            json.dumps(document, ensure_ascii=False)
        )
    for month, lines in months.items():
        with (directory / f"{flow}-{month}.jsonl.gz").open("ab") as file:
            file.write(gzip.compress(("\n".join(lines) + "\n").encode()))
            file.flush()
            os.fsync(file.fileno())


def read_archive(path: Path) -> Iterator[dict[str, Any]]:
    """Read the documents of one archive file, or of all in a directory, each instance once."""
    files = sorted(path.glob("*.jsonl.gz")) if path.is_dir() else [path]
    for file in files:
        last: dict[int, dict[str, Any]] = {}
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                document = json.loads(line)
                last[document["instance"]["wid"]] = document
        yield from last.values()
