"""The health page: the invariants, the clock, the reaper, the disk and the tables."""

from __future__ import annotations

from django.contrib import messages
from django.db import OperationalError, connection
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from flows import api, kernel
from flows.access import sees_everything
from flows.queries.base import snapshot
from flows.queries.server import health, invariants, storage
from flows.users.people import without_users
from monitor import labels
from monitor.metrics.usage import usage
from pages.guard import is_timeout, page

SILENT_SECONDS = 30
# The page reads the kernel's clock a moment later, so a small difference is normal.
_NUMBERS_WARNING_SHARE = 0.5
_NEGLIGIBLE_SECONDS = 1
_ROLES_SHOWN = 20
# A check occupies a web thread; with millions of steps use the command instead.
CHECK_TIMEOUT_MS = 30_000


@require_safe
@page
def health_page(request: HttpRequest) -> HttpResponse:
    """Return the whole page; it checks no invariant, because that is expensive."""
    _everything_or_404(request)
    with snapshot():
        status = storage.storage_status()
        times, disk, last = health.times(), health.disk(), invariants.last_check()
        missing, numbers = kernel.missing_grants(connection), health.numbers_used()
        troubles, waiting = health.troubles(), health.commits_waiting()
        unmanned = list(without_users(health.task_roles()).items())
    found = {finding.name: finding for finding in last.findings} if last else {}
    context = {
        "times": times, "disk": disk, "percent": round(disk.share * 100, 1) if disk else None,
        "numbers": round(numbers * 100) if numbers > _NUMBERS_WARNING_SHARE else None,
        "silent": times.reaper_age is None or times.reaper_age.total_seconds() > SILENT_SECONDS,
        "behind": times.behind.total_seconds() > _NEGLIGIBLE_SECONDS,
        "storage": status, "warnings": [labels.WARNING[kind] for kind in status.warnings()],
        "missing_grants": missing, "troubles": [(labels.TROUBLE.get(t.kind, t.kind), t) for t in troubles],
        "last": last, "broken": [name for name, finding in found.items() if finding.found],
        "promises": [(name, sentence, found.get(name)) for name, sentence in labels.INVARIANT.items()],
        "sample": 2 * invariants.SAMPLE, "web": usage(), "commits_waiting": waiting,
        "moves": api.moves.problems(),
        "unmanned": unmanned[:_ROLES_SHOWN], "unmanned_count": len(unmanned),
    }  # fmt: skip
    return render(request, "monitor/health.html", context)


@require_POST
@page
def check(request: HttpRequest) -> HttpResponse:
    """Check the invariants now, on a sample or (`scope=all`) on every instance, and redirect to the page."""
    _everything_or_404(request)
    limit = None if request.POST.get("scope") == "all" else invariants.SAMPLE
    try:
        if not invariants.check(limit, CHECK_TIMEOUT_MS):
            messages.info(request, _("Another check is running; reload this page in a moment."))
    except OperationalError as error:
        if not is_timeout(error):
            raise
        text = _(
            "The check timed out after 30 seconds, without a result."
            " On the server, manage.py invariants has no time limit."
        )
        messages.error(request, text)
    return redirect("monitor:health")


def _everything_or_404(request: HttpRequest) -> None:
    """Raise Http404 for users who may not see every flow: examples name instances of any flow."""
    if not sees_everything(request.user):
        raise Http404
