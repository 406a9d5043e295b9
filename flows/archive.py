"""Moves finished instances from the database to files of compressed JSON lines, and reads these files.

Each instance is one document. The file is synced to disk before the rows are deleted: a crash between the two
can repeat a document but not lose one, and the reader uses the last document of each instance.
"""

from __future__ import annotations

import gzip
import mmap
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from flows import json_text
from flows.engine.connection import rows, value

BATCH = 500
Damaged = Callable[[Path, int, int], None]
# What a gzip member begins with, and how many bytes are decompressed at once.
_MAGIC, _PIECE = b"\x1f\x8b\x08", 2**20


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
        path = directory / f"{flow}-{month}.jsonl.gz"
        is_new = not path.exists()
        _add(path, gzip.compress(("\n".join(lines) + "\n").encode()))
        if is_new:
            _sync(directory)
            _sync(directory.absolute().parent)


def _add(path: Path, member: bytes) -> None:
    """Append a member and sync it; after an error, such as a full disk, the file is as it was."""
    with path.open("ab", buffering=0) as file:
        end, left = os.fstat(file.fileno()).st_size, memoryview(member)
        try:
            while left:
                left = left[file.write(left) :]
            os.fsync(file.fileno())
        except OSError:
            os.ftruncate(file.fileno(), end)
            raise


def _sync(directory: Path) -> None:
    """Sync the names in a directory: a synced file without its name is lost when the machine crashes."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class NotReadable(Exception):
    """A file is no archive."""


def read_archive(path: Path, damaged: Damaged | None = None) -> Iterator[dict[str, Any]]:
    """Yield the documents of an archive file, or of all files of a directory; per file each instance once.

    A part that cannot be read, such as one that a crash cut off, is passed over.

    Args:
        path: the file or directory.
        damaged: is called for each such part with its file, its first byte and its length.

    Raises:
        NotReadable: a file has no archive, or cannot be read.
    """
    for file in sorted(path.glob("*.jsonl.gz")) if path.is_dir() else [path]:
        last: dict[int, dict[str, Any]] = {}
        try:
            for line in _lines(file, damaged):
                document = json_text.decode(line)
                last[document["instance"]["wid"]] = document
        except OSError as error:
            raise NotReadable(f"{file} cannot be read: {error.strerror}.") from error
        except (ValueError, LookupError, TypeError) as error:
            raise NotReadable(f"{file} is no archive of instances.") from error
        yield from last.values()


def _lines(path: Path, damaged: Damaged | None) -> Iterator[bytes]:
    """Yield the lines of the members of a file. Raises ValueError where none can be read."""
    with path.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            at, found = 0, False
            while at < len(content):
                if member := _member(content, at):
                    lines, at = member
                    found = True
                    yield from lines.splitlines()
                    continue
                begin, at = at, _next_member(content, at)
                if damaged and found | (at < len(content)):
                    damaged(path, begin, at - begin)
            if not found:
                raise ValueError


def _next_member(content: mmap.mmap, at: int) -> int:
    """Return where the next member that can be read begins; the end of the content if there is none."""
    while (at := content.find(_MAGIC, at + 1)) >= 0:
        if _member(content, at):
            return at
    return len(content)


def _member(content: mmap.mmap, at: int) -> tuple[bytes, int] | None:
    """Return the text of the member that begins here and where it ends; None if it is not whole."""
    inflated, parts = zlib.decompressobj(wbits=31), []
    try:
        while not inflated.eof and at < len(content):
            piece = content[at : at + _PIECE]
            parts.append(inflated.decompress(piece))
            at += len(piece)
    except zlib.error:
        return None
    return (b"".join(parts), at - len(inflated.unused_data)) if inflated.eof else None
