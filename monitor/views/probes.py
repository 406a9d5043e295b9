"""Endpoints for monitoring systems: liveness, readiness, metrics."""

from __future__ import annotations

import hmac
import ipaddress
import os
from contextlib import suppress

from django.db import Error
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from flows.queries.base import snapshot
from flows.queries.server import health, stats
from monitor.metrics import collection
from pages.live.listener import all_listeners

READY_TIMEOUT_MS = 2_000
METRICS_TIMEOUT_MS = 10_000
LOOPBACK = "127.0.0.0/8 ::1/128"


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Return 200 when this process answers; uses no database."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Return 200 if the database answers, has the kernel and can commit, else 503; the body says which."""
    database = kernel = commit = standby = False
    with suppress(Error):
        with snapshot(READY_TIMEOUT_MS):
            database, kernel = True, stats.ready()
            standby = kernel and not health.commits_waiting()
        if kernel:
            stats.check_commit(READY_TIMEOUT_MS)
            commit = True
    listening = all(found.hub.live for found in all_listeners() if found.hub.watchers)
    body = {"database": database, "kernel": kernel, "commit": commit}
    body |= {"standby": standby, "listener": listening}
    return JsonResponse(body, status=200 if commit else 503)


@require_safe
def metrics_page(request: HttpRequest) -> HttpResponse:
    """Return the metrics in Prometheus' text format to callers with the token or from an allowed network."""
    if not may_scrape(request):
        return HttpResponse("metrics need a token or an allowed network (docs/monitoring.md)\n", status=403,
                            content_type="text/plain")  # fmt: skip
    try:
        with snapshot(METRICS_TIMEOUT_MS):
            text = collection.exposition()
    except Error:
        text = "# the database does not answer\n" + "".join(collection.of_this_process())
        return HttpResponse(text, status=503, content_type="text/plain")
    return HttpResponse(text, content_type="text/plain; version=0.0.4; charset=utf-8")


def may_scrape(request: HttpRequest) -> bool:
    """Return whether the request has WEDSQL_METRICS_TOKEN as bearer, or comes from WEDSQL_METRICS_ALLOW.

    Behind a proxy every caller has the proxy's address, so a forwarded request needs the token.
    """
    token = os.environ.get("WEDSQL_METRICS_TOKEN", "")
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if token and scheme.lower() == "bearer" and hmac.compare_digest(given.encode(), token.encode()):
        return True
    if "X-Forwarded-For" in request.headers or "Forwarded" in request.headers:
        return False
    return _in_networks(
        request.META.get("REMOTE_ADDR", ""), os.environ.get("WEDSQL_METRICS_ALLOW", LOOPBACK).split()
    )


def _in_networks(address: str, networks: list[str]) -> bool:
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(ip in ipaddress.ip_network(network) for network in networks)
