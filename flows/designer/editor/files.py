"""A definition as a file: downloaded in each format, and read from an uploaded one."""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from typing import Any, cast

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.utils.translation import gettext as _

from flows.definition import Definition, places
from flows.definition.files import FORMATS, NotReadable, without_numbers
from flows.loading import as_sql, read_sql
from flows.operations.package import archive

DOWNLOADS = ("yaml", "json", "sql", "zip")
LARGEST = 4_000_000  # bytes of an uploaded file, and of the definition in it
MEMBER = "definition.yaml"
# A package that is damaged, has a password, or is compressed by an unknown method (a RuntimeError, too).
_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, RuntimeError, OSError, EOFError)


def download(flow: str, version: int, definition: dict[str, Any], name: str) -> HttpResponse:
    """Return the file of a version in one of the DOWNLOADS; zip is a package of migrations."""
    whole = without_numbers({"flow": flow, **definition})
    content: bytes | str
    if name == "zip":
        content = archive(flow, whole, {MEMBER: FORMATS["yaml"].write(whole)})
    elif name == "sql":
        content = as_sql(cast(Definition, {**whole, "version": version}))
    else:
        content = FORMATS[name].write(whole)
    kind = "application/zip" if name == "zip" else "text/plain; charset=utf-8"
    disposition = f'attachment; filename="{flow}-{version}.{name}"'
    return HttpResponse(content, kind, headers={"Content-Disposition": disposition})


def uploaded(file: UploadedFile) -> tuple[str, str]:
    """Return the format, "yaml" or "json", and the text of an uploaded definition. Raises NotReadable."""
    ending = str(file.name or "").rpartition(".")[2].lower()
    if (file.size or 0) > LARGEST:
        raise NotReadable(_("The file has %(n)s bytes; at most %(most)s are read.") % _sizes(file.size or 0))
    content = file.read(LARGEST + 1)
    if ending == "zip":
        content, ending = _member(content), "yaml"
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise NotReadable(_("The file is not text in UTF-8.")) from error
    if ending == "sql":
        return "yaml", places.write(read_sql(text), "yaml")
    if ending not in ("yaml", "yml", "json"):
        raise NotReadable(_("Read are files whose names end in .yaml, .json, .sql or .zip."))
    return ("json" if ending == "json" else "yaml"), text


def _member(content: bytes) -> bytes:
    """Return the definition in a package of migrations; its Python files are not read."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            found = [one for one in package.infolist() if one.filename.rpartition("/")[2] == MEMBER]
            if len(found) != 1:
                raise NotReadable(_("The package has no single file %(name)s.") % {"name": MEMBER})
            with package.open(found[0]) as member:
                text = member.read(LARGEST + 1)
    except _DAMAGED as error:
        raise NotReadable(_("The package cannot be opened.")) from error
    if len(text) > LARGEST:
        raise NotReadable(_("The file has %(n)s bytes; at most %(most)s are read.") % _sizes(len(text)))
    return text


def _sizes(n: int) -> dict[str, int]:
    return {"n": n, "most": LARGEST}
