"""No URL causes a server error, whatever its parameters; the pages are those of the resolver."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from django.conf import settings
from django.test import Client
from django.urls import URLPattern

from monitor.tests.conftest import Parcels, client_of, person
from tests.addresses import filled, parameters, patterns

HOSTILE = ["--5", "²", "9" * 20, "-2147483649", "\x00", "'%{}", "x~1~--5", "\udc80", "💩" * 300]
# What the admin's lists read besides the names of columns.
ADMIN = ["o", "p", "q", "all", "e", "_facets", "_to_field", "_popup", "_changelist_filters", "id", "pk__in",
         "flow__id__exact", "id__gt", "nothing", "term", "app_label", "model_name", "field_name"]  # fmt: skip
SHARED = ("pages/urlparams.py", "monitor/urlparams.py")
# Functions of pages.urlparams whose second argument is the name of a parameter.
READERS = {"text", "numbers"}


def _encoded(value: str) -> str:
    return quote(value.encode("utf-8", "surrogateescape"), safe="")


@cache
def names_read_in(path: str) -> frozenset[str]:
    """Return the constants that a module passes to GET.get, GET.getlist, POST.get and the like."""
    tree = ast.parse(Path(path).read_text())
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return frozenset(
        argument.value
        for call in calls
        for argument in _names(call)
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    )


def _names(call: ast.Call) -> list[ast.expr]:
    """Return the arguments that may be the name of a parameter."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in {"get", "getlist", "pop"}:
        return call.args[:1]
    return call.args[1:2] if isinstance(call.func, ast.Name) and call.func.id in READERS else []


def names_of(pattern: URLPattern) -> list[str]:
    """Return the parameters that a page may read: those of its view's module and of the shared modules."""
    module = sys.modules[inspect.unwrap(pattern.callback).__module__]
    found = names_read_in(str(module.__file__))
    shared = (names_read_in(str(settings.BASE_DIR / path)) for path in SHARED)
    return sorted(found.union(*shared, {"a", "op", "v"}))


def cases(flow: str, wid: int, reads: Callable[[str], bool]) -> Iterator[str]:
    """Yield the URL of every page that `reads` its query with each parameter, in query and path."""
    here = {"name": flow, "wid": str(wid)}
    for route, pattern in patterns():
        address = filled(route, pattern, here)
        if pattern.callback.__module__.startswith("monitor.") and reads(address):
            for name in names_of(pattern):
                yield from (f"{address}?{quote(name)}={_encoded(value)}" for value in HOSTILE)
        elif route.startswith("admin/"):
            yield f"{address}?{urlencode(dict.fromkeys(ADMIN, '--5'))}"
            yield f"{address}?{urlencode({name: chr(0) for name in ADMIN})}"
        for name in parameters(route):
            yield from (filled(route, pattern, here | {name: _encoded(value)}) for value in HOSTILE)


@pytest.fixture
def root(site: None) -> Client:
    """A superuser whose client returns server errors instead of raising them."""
    user = person("root", staff=True)
    user.is_superuser = True
    user.save()
    client = client_of(user)
    client.raise_request_exception = False
    return client


def test_no_parameter_ends_in_an_error(root: Client, parcels: Parcels) -> None:
    def reads(address: str) -> bool:
        return root.get(address).status_code != 405

    found = {
        address: root.get(address).status_code for address in cases(parcels.flow, parcels.start(), reads)
    }
    assert {address: status for address, status in found.items() if status >= 500} == {}
    assert len(found) > 500


@pytest.mark.parametrize(
    "name", ["sessionid", "csrftoken", "theme", "django_language", "messages", "nothing"]
)
def test_no_cookie_ends_in_an_error(name: str, root: Client) -> None:
    client = Client(raise_request_exception=False)
    for value in (*HOSTILE, "a" * 32, '"\\000\\000\\000\\000\\000\\000\\000\\000\\000"', "%00" * 12):
        for address in ("/", "/accounts/login/", "/admin/", "/nothing/"):
            for method in ("GET", "POST"):
                cookie = f"{name}={value}".encode("utf-8", "surrogateescape").decode("latin-1")
                assert client.generic(method, address, HTTP_COOKIE=cookie).status_code < 500, (name, value)


@pytest.mark.parametrize("value", HOSTILE)
def test_no_field_of_a_form_ends_in_an_error(value: str, root: Client) -> None:
    text = value.encode("utf-8", "surrogateescape")
    fields = ("username", "password", "next", "theme", "language", "old_password", "new_password1", "scope")
    body = b"&".join(name.encode() + b"=" + quote(text).encode() for name in fields)
    form = "application/x-www-form-urlencoded"
    for route, pattern in patterns():
        if not route.startswith("admin/") or route in ("admin/login/", "admin/logout/"):
            for client in (Client(raise_request_exception=False), root):
                address = filled(route, pattern)
                answer = client.post(address, body, content_type=form, REMOTE_ADDR="192.0.2.9")
                assert answer.status_code < 500, address
