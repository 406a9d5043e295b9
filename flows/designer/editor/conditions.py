"""What the condition editor asks: the problem of a condition that is being typed, and what may be typed."""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any

from django.db import Error, connection, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.views.decorators.http import condition, require_POST, require_safe

from flows import api
from flows.access import reads_definitions
from flows.definition import ATTRIBUTE, condition_sentences
from flows.errors import WedError
from flows.kernel import digest
from flows.types import Problem
from pages.guard import is_timeout

LARGEST_REQUEST = 256 * 1024
MOST_ATTRIBUTES = 1_600  # PostgreSQL's limit of columns
LONGEST_LABEL = 200
TIMEOUT_MS = 2_000
# Functions and words change with the kernel and with the version of PostgreSQL only.
KEPT_FOR_SECONDS = 3_600

_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
_KINDS = frozenset(ATTRIBUTE["type"].choices)


_log = logging.getLogger("wedsql.web")
# The users whose checks are running in this process.
_running: set[Any] = set()
_starting = threading.Lock()


class Rejected(Exception):
    """The request cannot be answered: status, code and message."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


def answered_as_json(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Answer with JSON whatever happens: `{"error": {"code", "message"}}` where the view has no result."""

    @wraps(view)
    def answered(request: HttpRequest) -> HttpResponse:
        try:
            if not request.user.is_authenticated:
                raise Rejected(401, "signed_out", _("You are signed out."))
            if not reads_definitions(request.user):
                raise Rejected(404, "not_found", _("There is nothing here for you to see."))
            return view(request)
        except Rejected as rejected:
            return _error(rejected.status, rejected.code, rejected.message)
        except WedError as error:
            return _error(503, error.code, error.sentence)
        except Error as error:
            slow = is_timeout(error)
            _log.warning("A condition was not checked: %s", error)
            return _error(503, "slow" if slow else "unavailable", _("The condition cannot be checked now."))

    return answered


def _error(status: int, code: str, message: str) -> JsonResponse:
    return JsonResponse({"error": {"code": code, "message": message}}, status=status)


@require_POST
@answered_as_json
def check(request: HttpRequest) -> HttpResponse:
    """Check one condition: {"types": {name: type}, "predicate": text, "labels": {name: label}}.

    The answer has the `problem` (position from 1, length, code, message, hint) or null, the attributes that
    it `reads`, and the `sentence`.
    """
    types, predicate, labels = _asked(request)
    with _one_at_a_time(request.user):
        problem, reads = api.conditions.check(types, predicate)
        outline = None if problem else api.conditions.outline(types, predicate)
    text = condition_sentences.sentence(outline, labels) if outline else ""
    return JsonResponse({"problem": problem and _shown(problem), "reads": reads, "sentence": text})


def _shown(problem: Problem) -> dict[str, Any]:
    return {
        name: getattr(problem, name) for name in ("position", "length", "code", "message", "hint", "reason")
    }


@contextmanager
def _one_at_a_time(user: Any) -> Iterator[None]:
    """Run the block in a transaction of limited time, one per user. Raises Rejected."""
    with _starting:
        if user.pk in _running:
            raise Rejected(429, "busy", _("Another condition of yours is being checked."))
        _running.add(user.pk)
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"set local statement_timeout = {TIMEOUT_MS:d}")
            yield
    finally:
        _running.discard(user.pk)


def _asked(request: HttpRequest) -> tuple[dict[str, str], str, dict[str, str]]:
    """Return types, condition and labels of a request. Raises Rejected."""
    try:
        asked = json.loads(_body(request))
    except (ValueError, RecursionError) as error:
        raise Rejected(400, "not_json", _("The request is not JSON.")) from error
    given = asked if isinstance(asked, dict) else {}
    types, predicate = given.get("types"), given.get("predicate")
    if not isinstance(types, dict) or not isinstance(predicate, str) or _unstorable(predicate):
        raise Rejected(400, "bad_request", _("“types” has to be an object and “predicate” a text."))
    return _types(types), predicate, _labels(given.get("labels"))


def _body(request: HttpRequest) -> bytes:
    """Return the content of the request; a longer one is rejected before it is read, if it says so."""
    too_large = Rejected(413, "too_large", _("A condition and its attributes may have at most 256 kB."))
    if int(request.headers.get("Content-Length") or 0) > LARGEST_REQUEST:
        raise too_large
    body = request.body
    if len(body) > LARGEST_REQUEST:
        raise too_large
    return body


def _unstorable(text: str) -> bool:
    """Return whether PostgreSQL cannot have this text: it has NUL or half of a pair of surrogates."""
    return "\0" in text or any("\ud800" <= character <= "\udfff" for character in text)


def _types(types: Mapping[str, Any]) -> dict[str, str]:
    wrong = [name for name, kind in types.items() if not _NAME.fullmatch(name) or not _is_type(kind)]
    if wrong or len(types) > MOST_ATTRIBUTES:
        shown = ascii(wrong[0][:80]) if wrong else str(len(types))
        raise Rejected(400, "bad_attribute", _("An attribute has no possible name or type: %s.") % shown)
    return dict(types)


def _is_type(kind: Any) -> bool:
    return isinstance(kind, str) and kind in _KINDS


def _labels(labels: Any) -> dict[str, str]:
    given = labels if isinstance(labels, dict) else {}
    return {name: label[:LONGEST_LABEL] for name, label in given.items() if isinstance(label, str)}


def _completions_tag(request: HttpRequest) -> str:
    with connection.cursor() as cursor:
        cursor.execute("show server_version_num")
        (server,) = cursor.fetchone()
    return f'"{digest()}-{server}"'


@require_safe
@answered_as_json
@condition(etag_func=_completions_tag)
def completions(request: HttpRequest) -> HttpResponse:
    """Return the functions, keywords, operators and types that a condition may contain."""
    found = api.conditions.completions()
    response = JsonResponse(
        {
            "functions": [list(function) for function in found.functions],
            "keywords": found.keywords,
            "types": found.types,
        }
    )
    patch_cache_control(response, private=True, max_age=KEPT_FOR_SECONDS)
    return response
