"""Files of cases. The caller has checked the flows as for cases (flows.capabilities.cases.api)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from flows.statements import JSON, names, read_as, rows, value


@dataclass(frozen=True)
class FileLimits:
    """How many bytes a file and all files of a flow have at most, and how many files a case."""

    size: int
    of_case: int
    of_flow: int


@dataclass(frozen=True)
class CaseFile:
    """A file of a case without its content; `sha256` is the digest of the content."""

    id: int
    case: int
    name: str
    size: int
    sha256: str
    added_by: str
    added_at: datetime


def attach_case_file(
    case: int,
    name: str,
    content: bytes,
    limits: FileLimits,
    actor: str,
    *,
    flows: Sequence[str] | None = None,
    conn: Any = None,
) -> CaseFile:
    """Attach a file to a case, open or closed; its name is made safe.

    Raises UnknownCase, FileLimit, BadFile.
    """
    call = "select wedsql.attach_case_file(%s, %s, %b, %s, %s, %s::text[])"
    given = (case, name.replace("\x00", ""), content, JSON(asdict(limits)), actor, names(flows))
    return _file(value(conn, call, given))


def list_case_files(wid: int, flows: Sequence[str] | None = None, *, conn: Any = None) -> list[CaseFile]:
    """Return the files of all cases of an instance, those of the newest case first."""
    found = rows(conn, "select wedsql.list_case_files(%s, %s::text[])", (wid, names(flows)))
    return [_file(each) for (each,) in found]


def read_case_file(
    case: int, file: int, flows: Sequence[str] | None = None, *, conn: Any = None
) -> tuple[CaseFile, bytes]:
    """Return a file of a case and its content. Raises UnknownFile."""
    call = "select * from wedsql.read_case_file(%s, %s, %s::text[])"
    found, content = rows(conn, call, (case, file, names(flows)))[0]
    return _file(found), bytes(content)


def remove_case_file(
    case: int, file: int, actor: str, *, any_user: bool, flows: Sequence[str] | None = None, conn: Any = None
) -> None:
    """Remove a file that the actor attached, or with `any_user` one of any user.

    The history keeps its name. Raises UnknownCase, UnknownFile, BadFile.
    """
    call = "select wedsql.remove_case_file(%s, %s, %s, %s, %s::text[])"
    value(conn, call, (case, file, actor, any_user, names(flows)))


def _file(found: Mapping[str, Any]) -> CaseFile:
    return read_as(CaseFile, found)
