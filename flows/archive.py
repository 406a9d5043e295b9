"""Moves finished instances from the database to files of compressed JSON lines, and reads these files.

Each instance is one document. The file is synced to disk before the rows are deleted: a crash between the two
can repeat a document but not lose one, and the reader uses the last document of each instance.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flows import json_text
from flows.api.connection import rows, value

BATCH = 500


def archive_flow(flow: str, directory: Path, *, batch: int = BATCH, conn: Any = None) -> Iterator[int]:
    """Move the instances past the flow's retention into `directory`; yield the number moved per batch.

    Each batch is its own transaction when the connection is in autocommit mode. An instance that cannot be
    moved is locked or reported in wedsql.trouble, and does not stop the others. Raises UnknownFlow, OSError.
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
    """Append a gzip member to <flow>-<year>-<month>.jsonl.gz of each month and sync the files to disk."""
    directory.mkdir(parents=True, exist_ok=True)
    months: dict[str, list[str]] = {}
    for document in documents:
        months.setdefault(document["instance"]["finished_at"][:7], []).append(json_text.encode(document))
    for month, lines in months.items():
        with (directory / f"{flow}-{month}.jsonl.gz").open("ab") as file:
            file.write(gzip.compress(("\n".join(lines) + "\n").encode()))
            file.flush()
            os.fsync(file.fileno())


def read_archive(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the documents of an archive file, or of all files of a directory; per file each instance once."""
    files = sorted(path.glob("*.jsonl.gz")) if path.is_dir() else [path]
    for file in files:
        last: dict[int, dict[str, Any]] = {}
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                document = json_text.decode(line)
                last[document["instance"]["wid"]] = document
        yield from last.values()
