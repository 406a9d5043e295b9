"""Static files: found by name only, compressed, cached by browsers, under the same policy as pages."""

from __future__ import annotations

import gzip
import posixpath
import re
from pathlib import Path
from typing import Any

import pytest
from django.templatetags.static import static
from django.test import Client

from wedsql_site.web import statics

HOSTILE = [
    "../../manage.py",
    "%2e%2e/%2e%2e/manage.py",
    "..%2f..%2fmanage.py",
    "%2e%2e%5c%2e%2e%5cmanage.py",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "monitor/../pages/tokens.css",
    "monitor",
    "monitor/",
    "",
    "%00",
    "pages/tokens.css%00.js",
    "%ff",
    "%f0%9f%92%a9",
    "a" * 5000,
    "0123456789ab/",
    "0123456789ab/../manage.py",
    "0123456789ab/%2e%2e/%2e%2e/manage.py",
    "0123456789ab/0123456789ab/pages/tokens.css",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_file_is_not_found(name: str, client: Client) -> None:
    for method in (client.get, client.head):
        assert method(f"/static/{name}").status_code == 404


@pytest.mark.parametrize("language", ["en", "pt-br"])
def test_a_person_gets_a_page_of_the_site_for_what_is_no_file(language: str, client: Client) -> None:
    asked = {"Accept": "text/html,*/*;q=0.8", "Accept-Language": language}
    sentence = {"en": "There is nothing here", "pt-br": "Não há nada aqui"}[language]
    for name in ("missing.css", "0123456789ab/missing.css", ""):
        answer = client.get(f"/static/{name}", headers=asked)
        assert answer.status_code == 404 and sentence in answer.content.decode()
        assert 'href="/"' in answer.content.decode()
    refused = client.post("/static/pages/app.js", headers=asked)
    assert refused.status_code == 405 and refused["Allow"] == "GET, HEAD"
    assert "<main" in refused.content.decode()
    assert client.get("/static/missing.css").content == b"There is no such file.\n"


def test_every_file_has_an_address_that_may_be_kept(client: Client) -> None:
    for name in statics.paths():
        answer = client.get(static(name))
        assert answer.status_code == 200 and answer["Cache-Control"] == statics.CACHE_FOR_ONE_YEAR, name
        assert answer.content == statics.paths()[name].read_bytes(), name


@pytest.mark.parametrize("prefix", ["", "000000000000/"])
def test_without_the_current_version_the_browser_asks_again(prefix: str, client: Client) -> None:
    first = client.get(f"/static/{prefix}pages/tokens.css")
    assert first.status_code == 200 and first["Cache-Control"] == "no-cache"
    second = client.get(f"/static/{prefix}pages/tokens.css", headers={"if-none-match": first["ETag"]})
    assert second.status_code == 304 and second.content == b""


def test_the_version_changes_with_any_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def version_of(text: str) -> str:
        (tmp_path / "a.css").write_text(text)
        monkeypatch.setattr(statics, "paths", lambda: {"a.css": tmp_path / "a.css"})
        statics.read.cache_clear()
        return statics.version.__wrapped__()

    try:
        assert version_of("one") != version_of("two") and version_of("one") == version_of("one")
    finally:
        statics.read.cache_clear()


@pytest.mark.parametrize(
    ("accepts", "packed"),
    [("gzip, br", True), ("", False), ("gzip;q=0", False), ("gzip;q=0.5", True), ("identity", False)],
)
def test_text_is_compressed_for_clients_that_accept_it(accepts: str, packed: bool, client: Client) -> None:
    answer = client.get("/static/pages/tokens.css", headers={"accept-encoding": accepts})
    assert (answer.get("Content-Encoding") == "gzip") is packed
    assert "Accept-Encoding" in answer["Vary"]
    content = gzip.decompress(answer.content) if packed else answer.content
    assert content == statics.paths()["pages/tokens.css"].read_bytes()


def test_only_reading_is_possible(client: Client) -> None:
    assert client.post("/static/pages/tokens.css").status_code == 405


def test_the_security_headers_are_those_of_pages(client: Client, settings: Any) -> None:
    settings.SECURE_HSTS_SECONDS = 3600
    answer = Client().get("/static/pages/app.js", secure=True)
    assert answer["X-Content-Type-Options"] == "nosniff" and "max-age" in answer["Strict-Transport-Security"]
    assert "default-src 'self'" in answer["Content-Security-Policy"]
    assert answer["Content-Type"] == "text/javascript; charset=utf-8"


def test_modules_import_each_other_by_relative_addresses() -> None:
    """An absolute URL would leave the version."""
    served = statics.paths()
    for name, path in served.items():
        if name.startswith(("monitor/", "pages/", "flows/")) and name.endswith(".js"):
            found = re.findall(r"""(?:from|import\()\s*["']([^"']+)["']""", path.read_text())
            assert all(address.startswith(("./", "../")) for address in found), name
            places = {posixpath.normpath(f"{posixpath.dirname(name)}/{address}") for address in found}
            assert places <= served.keys(), name
