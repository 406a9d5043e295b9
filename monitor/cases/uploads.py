"""Files of cases: their limits, how they are read from a form, and how they are sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile, StopUpload
from django.http import HttpResponse
from django.utils.http import content_disposition_header

from flows import api
from flows.access import AnyUser, may_on, may_repair
from flows.capabilities.cases.files import CaseFile, FileLimits

MB = 1024 * 1024
# No browser shows a file as a page of this site, whatever is in it.
POLICY = "default-src 'none'; sandbox"


def limits() -> FileLimits:
    """Return the limits of this installation."""
    return FileLimits(
        settings.WEDSQL_FILE_MB * MB, settings.WEDSQL_CASE_FILES, settings.WEDSQL_FLOW_FILES_MB * MB
    )


@dataclass(frozen=True)
class FileRow:
    """A file on a page; `removable`: the user may remove it."""

    file: CaseFile
    removable: bool


def file_rows(user: AnyUser, flow: str, wid: int) -> list[FileRow]:
    """Return the files of the cases of an instance, which the user sees."""
    every, own = may_repair(user, flow), may_on(user, "handle", flow, wid)
    name = user.get_username()
    found = api.cases.list_files(wid, [flow])
    return [FileRow(one, every or (own and one.added_by == name)) for one in found]


class LimitedUpload(FileUploadHandler):
    """Reads one file of a form, and stops at one byte more than a file may have.

    So the kernel rejects what is too large, and nothing is written to a disk.
    """

    def __init__(self, request: Any = None) -> None:
        super().__init__(request)
        self.left = limits().size + 1
        self.parts: list[bytes] = []

    def new_file(self, *given: Any, **more: Any) -> None:
        """Begin a file. Raises SkipFile for a second one."""
        super().new_file(*given, **more)
        if self.parts:
            raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Keep a part of the file. Raises StopUpload at the end of what is allowed."""
        self.parts.append(raw_data[: self.left])
        self.left -= len(self.parts[-1])
        if not self.left:
            raise StopUpload(connection_reset=True)

    def file_complete(self, file_size: int) -> UploadedFile:
        """Return the file."""
        return SimpleUploadedFile(self.file_name or "", self.content)

    @property
    def content(self) -> bytes:
        """What was read."""
        return b"".join(self.parts)


def response(file: CaseFile, content: bytes) -> HttpResponse:
    """Return a file as a download, of a type that no browser interprets."""
    return download(file.name, content)


def download(name: str, content: bytes) -> HttpResponse:
    """Return a content under a name as a download, of a type that no browser interprets."""
    found = HttpResponse(content, content_type="application/octet-stream")
    found.headers["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    found.headers["X-Content-Type-Options"] = "nosniff"
    found.headers["Content-Security-Policy"] = POLICY
    found.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    return found
