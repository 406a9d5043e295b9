"""Static files: served from memory, compressed, under a URL that changes with their content.

`{% static %}` writes /static/<version>/<name>, where the version is a digest of all files. Browsers may cache
such a URL for a year, and files that import each other by relative URLs are of the same version.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseNotFound
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import get_language_from_request, override

from pages.error_pages import of_status

CACHE_FOR_ONE_YEAR = "public, max-age=31536000, immutable"
REVALIDATE = "no-cache"
_VERSIONED = re.compile(r"([0-9a-f]{12})/(.+)")
_TEXT = re.compile(r"text/|application/(javascript|json)|image/svg")
_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))")


@dataclass(frozen=True)
class StaticFile:
    """One file in memory, with its compressed form if that is smaller."""

    content: bytes
    media_type: str

    @cached_property
    def packed(self) -> bytes | None:
        packed = gzip.compress(self.content, 9, mtime=0) if _TEXT.match(self.media_type) else self.content
        return packed if len(packed) < len(self.content) else None

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.content).hexdigest()[:32]


@cache
def paths() -> dict[str, Path]:
    """Return every static file of the installed applications by name; the first finder wins."""
    found: dict[str, Path] = {}
    for finder in get_finders():
        for name, storage in finder.list([]):
            found.setdefault(name, Path(storage.path(name)))
    return found


@cache
def read(name: str) -> StaticFile:
    """Return the file of this name, which must be in `paths()`."""
    media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    if media_type == "application/javascript" or name.endswith(".js"):
        media_type = "text/javascript"
    return StaticFile(paths()[name].read_bytes(), media_type)


@cache
def version() -> str:
    """Return twelve characters that change whenever a static file changes."""
    digest = hashlib.sha256()
    for name in sorted(paths()):
        digest.update(f"{name}\0{read(name).digest}\0".encode())
    return digest.hexdigest()[:12]


class VersionedStorage(StaticFilesStorage):
    """Puts the version of all files in front of each name."""

    def url(self, name: str | None) -> str:
        known: dict[str | None, str] = vars(self).setdefault("_addresses", {})
        if name not in paths():
            return super().url(f"{version()}/{name}")
        if name not in known:
            known[name] = super().url(f"{version()}/{name}")
        return known[name]


class Statics:
    """Middleware that serves static files; 404 for unknown names."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.prefix = "/" + settings.STATIC_URL.strip("/") + "/"

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(self.prefix):
            return self.get_response(request)
        if request.method not in {"GET", "HEAD"}:
            return _refused(request, HttpResponseNotAllowed(["GET", "HEAD"], "Not allowed.\n", "text/plain"))
        return _answer(request, request.path_info.removeprefix(self.prefix))


def _refused(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """Return the page for the status of an answer to a person, who asks for HTML."""
    if "text/html" not in request.headers.get("Accept", ""):
        return answer
    with override(get_language_from_request(request)):
        shown = of_status(request, answer.status_code)
    if "Allow" in answer:
        shown["Allow"] = answer["Allow"]
    return shown


def _answer(request: HttpRequest, name: str) -> HttpResponseBase:
    match = _VERSIONED.fullmatch(name)
    current = match is not None and match[1] == version() and not settings.DEBUG
    name = match[2] if match else name
    if name not in paths():
        return _refused(request, HttpResponseNotFound("There is no such file.\n", content_type="text/plain"))
    if settings.DEBUG:
        read.cache_clear()
    found = read(name)
    packed = found.packed if _GZIP.search(request.headers.get("Accept-Encoding", "")) else None
    etag = f'"{found.digest}{"-gzip" if packed else ""}"'
    response = HttpResponse(packed or found.content, content_type=_content_type(found))
    response.headers["Cache-Control"] = CACHE_FOR_ONE_YEAR if current else REVALIDATE
    response.headers["ETag"] = etag
    if found.packed:
        patch_vary_headers(response, ["Accept-Encoding"])
    if packed:
        response.headers["Content-Encoding"] = "gzip"
    return get_conditional_response(request, etag=etag, response=response) or response


def _content_type(found: StaticFile) -> str:
    return f"{found.media_type}; charset=utf-8" if _TEXT.match(found.media_type) else found.media_type
