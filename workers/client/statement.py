"""A prepared statement with its parameters, as the text protocol of PostgreSQL takes them."""

from __future__ import annotations

from collections.abc import Sequence

Params = Sequence[bytes | None]
Command = tuple["Statement", Params]


class Statement:
    """An SQL text with the name under which each connection prepares it once."""

    __slots__ = ("name", "text")

    def __init__(self, name: str, text: str) -> None:
        self.name = name.encode()
        self.text = text.encode()


BEGIN = (Statement("wed_begin", "begin"), ())
COMMIT = (Statement("wed_commit", "commit"), ())
ROLLBACK = (Statement("wed_rollback", "rollback"), ())


def ints(values: Sequence[int | None]) -> bytes:
    """Return a PostgreSQL array of integers."""
    return ("{" + ",".join(["NULL" if v is None else str(v) for v in values]) + "}").encode()


def texts(values: Sequence[str | None]) -> bytes:
    """Return a PostgreSQL array of texts (or of JSON, ranges, anything written as text)."""
    quoted = [
        "NULL" if v is None else '"' + v.replace("\\", "\\\\").replace('"', '\\"') + '"' for v in values
    ]
    return ("{" + ",".join(quoted) + "}").encode()


def quoted(name: str) -> str:
    """Return the quoted identifier."""
    return '"' + name.replace('"', '""') + '"'
