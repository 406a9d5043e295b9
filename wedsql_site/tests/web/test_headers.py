"""Headers of a web process in production, over a real connection behind a proxy."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.templatetags.static import static

from monitor.tests.conftest import HERE
from testkit.web import WebServer

PASSWORD = "a password for tests only"
PAGES = ("/", "/accounts/login/", "/admin/login/", "/nothing/", "/admin/", "/accounts/security/")
FILES = ("/static/pages/tokens.css", "/static/nothing.css", "/favicon.ico", "/healthz", "/readyz")
ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains; preload",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


@pytest.fixture(scope="module")
def web(dsn: str) -> Iterator[WebServer]:
    production = {"WEDSQL_HTTPS": "1", "WEDSQL_BEHIND_PROXY": "1", "WEDSQL_ALLOWED_HOSTS": "127.0.0.1"}
    with WebServer.on(dsn, **production) as server:
        yield server


@pytest.fixture
def nina(dsn: str, django_db_blocker: Any) -> Iterator[User]:
    with django_db_blocker.unblock():
        user = User.objects.create_user("nina" + HERE, password=PASSWORD)
        yield user
        user.delete()
        connection.close()


def ask(
    web: WebServer, path: str, form: dict[str, str] | None = None, scheme: str = "https", **headers: str
) -> http.client.HTTPResponse:
    line = http.client.HTTPConnection("127.0.0.1", web.port, timeout=60)
    own = {"X-Forwarded-Proto": scheme, "X-Forwarded-For": "192.0.2.1", "Host": "127.0.0.1", **headers}
    own["Connection"] = "close"
    if form is None:
        line.request("GET", path, headers=own)
    else:
        own |= {"Content-Type": "application/x-www-form-urlencoded", "Referer": f"https://127.0.0.1{path}"}
        line.request("POST", path, urlencode(form), own)
    answer = line.getresponse()
    answer.read()
    line.close()
    return answer


@pytest.mark.parametrize("path", [*PAGES, *FILES])
def test_every_answer_is_protected(path: str, web: WebServer) -> None:
    answer = ask(web, path)
    assert {name: answer.headers[name] for name in ALWAYS} == ALWAYS
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    if path in PAGES and answer.status != 302:
        assert "no-store" in answer.headers["Cache-Control"]
        assert answer.headers["X-Frame-Options"] == "DENY"


def test_only_files_with_their_version_may_be_kept(web: WebServer) -> None:
    assert ask(web, "/static/pages/tokens.css").headers["Cache-Control"] == "no-cache"
    assert "immutable" in ask(web, static("pages/tokens.css")).headers["Cache-Control"]


@pytest.mark.parametrize("path", [*PAGES, "/static/pages/tokens.css"])
def test_plain_http_leads_to_https(path: str, web: WebServer) -> None:
    answer = ask(web, path, scheme="http")
    assert (answer.status, answer.headers["Location"]) == (301, f"https://127.0.0.1{path}")


def test_cookies_are_for_this_host_alone_and_out_of_the_reach_of_scripts(web: WebServer, nina: User) -> None:
    first = ask(web, "/accounts/login/").headers["Set-Cookie"]
    token = first.partition("__Host-csrftoken=")[2].partition(";")[0]
    form = {"csrfmiddlewaretoken": token, "username": nina.username, "password": PASSWORD}
    answer = ask(web, "/accounts/login/", form, Cookie=f"__Host-csrftoken={token}")
    assert answer.status == 302
    sent = {each.partition("=")[0]: each for each in answer.headers.get_all("Set-Cookie")}
    assert set(sent) == {"__Host-csrftoken", "__Host-sessionid"}
    for cookie in sent.values():
        assert "Secure" in cookie and "SameSite=Lax" in cookie and "Path=/" in cookie
        assert "Domain" not in cookie
    assert "HttpOnly" in sent["__Host-sessionid"] and "Max-Age=28800" in sent["__Host-sessionid"]
    chosen = ask(
        web, "/i18n/setlang/", {"csrfmiddlewaretoken": token, "language": "pt-br"},
        Cookie=f"__Host-csrftoken={token}",
    ).headers["Set-Cookie"]  # fmt: skip
    assert "Secure" in chosen and "SameSite=Lax" in chosen
    theme = ask(
        web, "/theme/", {"csrfmiddlewaretoken": token, "theme": "dark"}, Cookie=f"__Host-csrftoken={token}"
    ).headers["Set-Cookie"]  # fmt: skip
    assert "theme=dark" in theme and "Secure" in theme and "SameSite=Lax" in theme


def test_without_a_proxy_no_header_marks_a_request_as_tls(dsn: str) -> None:
    own = {"WEDSQL_HTTPS": "1", "WEDSQL_BEHIND_PROXY": "0", "WEDSQL_ALLOWED_HOSTS": "127.0.0.1"}
    with WebServer.on(dsn, **own) as direct:
        answer = ask(direct, "/accounts/login/", scheme="https")
    assert (answer.status, answer.headers["Location"]) == (301, "https://127.0.0.1/accounts/login/")


def test_a_form_without_its_token_is_rejected(web: WebServer) -> None:
    assert ask(web, "/accounts/login/", {"username": "a", "password": "b"}).status == 403
