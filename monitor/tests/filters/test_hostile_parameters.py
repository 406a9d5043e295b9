"""No URL causes a server error, whatever its parameters; the pages are those of the resolver."""

from __future__ import annotations

import ast
import inspect
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote, urlencode

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.http import QueryDict
from django.test import Client
from django.urls import URLPattern

from monitor.tests.conftest import Parcels, client_of, person
from testkit.cases import pairs, some
from tests.addresses import filled, parameters, patterns

HOSTILE = ["--5", "²", "9" * 20, "-2147483649", "\x00", "'%{}", "x~1~--5", "\udc80", "💩" * 300]
# What the admin's lists read besides the names of columns.
ADMIN = ["o", "p", "q", "all", "e", "_facets", "_to_field", "_popup", "_changelist_filters", "id", "pk__in",
         "flow__id__exact", "id__gt", "nothing", "term", "app_label", "model_name", "field_name"]  # fmt: skip
# Functions of pages.urlparams whose second argument is the name of a parameter.
READERS = {"text", "numbers"}
Statuses = dict[str, int]


def hostile(name: str) -> list[str]:
    """Return the hostile values for a parameter: all in long runs, else one that depends on its name."""
    return some(HOSTILE, len(HOSTILE), zlib.crc32(name.encode()))


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


class Watched(QueryDict):
    """A query that records the names that a page looks for, also those that it does not have."""

    looked_for: ClassVar[set[str]] = set()

    def __getitem__(self, key: str) -> Any:
        self.looked_for.add(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.looked_for.add(str(key))
        return super().__contains__(key)

    def getlist(self, key: str, default: Any = None) -> list[Any]:
        self.looked_for.add(key)
        return super().getlist(key, default)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """The names that pages look for in their queries."""

    def get(request: WSGIRequest) -> QueryDict:
        return Watched(request.META.get("QUERY_STRING", ""), encoding=request.encoding)

    query = cached_property(get)
    query.__set_name__(WSGIRequest, "GET")
    monkeypatch.setattr(WSGIRequest, "GET", query)
    Watched.looked_for.clear()
    yield Watched.looked_for
    Watched.looked_for.clear()


def statuses(get: Callable[[str], int], address: str, own: frozenset[str], watched: set[str]) -> Statuses:
    """Return the status of a page with each parameter that it looks for.

    A page may look for one only if it has another, so those that are found on the way are tried, too. What
    its module names, but the page does not look for by itself, is tried together.
    """
    watched.clear()
    if get(address) == 405:
        return {}
    more = sorted(own - watched)
    cases = ("&".join(f"{quote(name)}={_encoded(value)}" for name in more) for value in hostile(address))
    found = {case: get(case) for case in (f"{address}?{query}" for query in cases if more)}
    tried = set(more)
    while names := watched - tried:
        tried |= names
        for name in names:
            for value in hostile(name):
                case = f"{address}?{quote(name)}={_encoded(value)}"
                found[case] = get(case)
    return found


def fixed_cases(flow: str, wid: int) -> Iterator[str]:
    """Yield the addresses of every page with each parameter of its path, and the admin's lists."""
    for route, pattern in patterns():
        here = {"name": flow, "wid": str(wid)}
        if route.startswith("admin/"):
            address = filled(route, pattern, here)
            yield f"{address}?{urlencode(dict.fromkeys(ADMIN, '--5'))}"
            yield f"{address}?{urlencode({name: chr(0) for name in ADMIN})}"
        for name in parameters(route):
            for value in hostile(route + name):
                yield filled(route, pattern, here | {name: _encoded(value)})


@pytest.fixture
def root(site: None) -> Client:
    """A superuser whose client returns server errors instead of raising them."""
    user = person("root", staff=True)
    user.is_superuser = True
    user.save()
    client = client_of(user)
    client.raise_request_exception = False
    return client


def names_of(pattern: URLPattern) -> frozenset[str]:
    """Return the names of parameters in the module of a page."""
    module = sys.modules[inspect.unwrap(pattern.callback).__module__]
    return names_read_in(str(module.__file__))


def test_no_parameter_ends_in_an_error(root: Client, parcels: Parcels, watched: set[str]) -> None:
    wid = parcels.start()

    def get(address: str) -> int:
        return root.get(address).status_code

    found = {address: get(address) for address in {*fixed_cases(parcels.flow, wid)}}
    lists = 0
    for route, pattern in patterns():
        if pattern.callback.__module__.startswith("monitor."):
            address = filled(route, pattern, {"name": parcels.flow, "wid": str(wid)})
            found |= statuses(get, address, names_of(pattern), watched)
            lists += {"q", "a", "v", "condition", "before", "columns"} <= watched
    assert {address: status for address, status in found.items() if status >= 500} == {}
    assert len(found) > 500 and lists >= 2  # the parameters of lists were found by watching


@pytest.mark.parametrize(
    "name", ["sessionid", "csrftoken", "theme", "django_language", "messages", "nothing"]
)
def test_no_cookie_ends_in_an_error(name: str, root: Client) -> None:
    client = Client(raise_request_exception=False)
    values = (*HOSTILE, "a" * 32, '"\\000\\000\\000\\000\\000\\000\\000\\000\\000"', "%00" * 12)
    requests = product(("GET", "POST"), ("/", "/accounts/login/", "/admin/", "/nothing/"))
    for value, (method, address) in pairs(values, requests, 4):
        cookie = f"{name}={value}".encode("utf-8", "surrogateescape").decode("latin-1")
        assert client.generic(method, address, HTTP_COOKIE=cookie).status_code < 500, (name, value)


@pytest.mark.parametrize("value", HOSTILE)
def test_no_field_of_a_form_ends_in_an_error(value: str, root: Client) -> None:
    text = value.encode("utf-8", "surrogateescape")
    fields = ("username", "password", "next", "theme", "language", "old_password", "new_password1", "scope")
    body = b"&".join(name.encode() + b"=" + quote(text).encode() for name in fields)
    form = "application/x-www-form-urlencoded"
    for tried, (route, pattern) in pairs(HOSTILE, patterns(), 9):
        outside = not route.startswith("admin/") or route in ("admin/login/", "admin/logout/")
        if tried == value and outside:
            for client in (Client(raise_request_exception=False), root):
                address = filled(route, pattern)
                answer = client.post(address, body, content_type=form, REMOTE_ADDR="192.0.2.9")
                assert answer.status_code < 500, address
