"""Names the author of changes of rights that Django writes, for the records of changes.

The kernel's own functions are given the author of a change. Users, groups and tokens are written by Django's
forms, which name no author; so each of their statements is preceded by the name of the user of the request.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

Answer = Callable[[HttpRequest], HttpResponseBase]
_SAFE = ("GET", "HEAD", "OPTIONS")
_WRITES = re.compile(
    r'\s*(?:insert into|update|delete from) "(?:auth_|api_token|otp_)', re.IGNORECASE
)  # the tables of Django in wedsql._controls()


class NameAuthor:
    """Names the user of a request that may change something."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method in _SAFE:
            return self.get_response(request)
        with named(lambda: str(request.user.get_username())):
            return self.get_response(request)


@contextmanager
def named(author: Callable[[], str]) -> Iterator[None]:
    """Name the author of each change of rights that Django's default connection writes in the block."""

    def run(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
        if not isinstance(sql, str) or not _WRITES.match(sql) or not (name := author()):
            return execute(sql, params, many, context)
        with transaction.atomic(using=context["connection"].alias, savepoint=False):
            setting = "select pg_catalog.set_config('wedsql.changed_by', %s, true)"
            context["connection"].connection.execute(setting, [name])
            return execute(sql, params, many, context)

    with connection.execute_wrapper(run):
        yield
