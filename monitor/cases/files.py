"""Files of cases: attach, download, remove."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST, require_safe

from flows import api
from flows.access import masks, may_handle, may_repair, visible_flows
from flows.capabilities.cases.api import Case
from flows.errors import Refused, UnknownCase, UnknownFile
from monitor.cases.uploads import LimitedUpload, limits, response
from pages.guard import page
from pages.once import claimed, say_again

MOST = 2**63


@require_safe
@page
@masks
def download(request: HttpRequest, case: int, file: int) -> HttpResponse:
    """Return a file of a case."""
    try:
        return response(*api.read_case_file(min(case, MOST - 1), min(file, MOST - 1), _seen(request)))
    except UnknownFile as error:
        raise Http404 from error


# The limit must be set before anything reads the form, as the check of its token does.
@csrf_exempt
def attach(request: HttpRequest, case: int) -> HttpResponseBase:
    """Attach a file to a case."""
    if request.method == "POST":
        request.upload_handlers = [LimitedUpload(request)]
    return _attach(request, case)


@csrf_protect
@require_POST
@page
@masks
def _attach(request: HttpRequest, case: int) -> HttpResponse:
    found = _case(request, case)
    if not may_handle(request.user, found.flow):
        return HttpResponseForbidden(_("You may see this case, but not work on it."))
    try:
        name, content = _sent(request)
        with claimed(request) as is_new:
            if not is_new:
                say_again(request)
                return _back(found)
            made = api.attach_case_file(case, name, content, limits(), request.user.get_username())
        messages.success(request, _("“%(name)s” is attached.") % {"name": made.name})
    except Refused as refused:
        messages.error(request, str(refused))
    return _back(found)


def _sent(request: HttpRequest) -> tuple[str, bytes]:
    """Return the name and the content of the file; of one that is too large the beginning."""
    file = request.FILES.get("file")
    if file is not None:
        return file.name or "", file.read()
    (handler,) = request.upload_handlers
    return (handler.file_name or "", handler.content) if isinstance(handler, LimitedUpload) else ("", b"")


@require_POST
@page
@masks
def remove(request: HttpRequest, case: int, file: int) -> HttpResponse:
    """Remove a file of a case that the user attached, or of any user who may do every repair."""
    found = _case(request, case)
    if not may_handle(request.user, found.flow):
        return HttpResponseForbidden(_("You may see this case, but not work on it."))
    every = may_repair(request.user, found.flow)
    try:
        api.remove_case_file(case, min(file, MOST - 1), request.user.get_username(), any_user=every)
        messages.success(request, _("The file is removed."))
    except UnknownFile as error:
        raise Http404 from error
    except Refused as refused:
        messages.error(request, str(refused))
    return _back(found)


def _back(case: Case) -> HttpResponse:
    return HttpResponseRedirect(reverse("monitor:repair", args=[case.wid]) + "#files")


def _case(request: HttpRequest, case: int) -> Case:
    """Return a case that the user sees. Raises Http404."""
    try:
        return api.read_case(min(case, MOST - 1), _seen(request))
    except UnknownCase as error:
        raise Http404 from error


def _seen(request: HttpRequest) -> list[str] | None:
    flows: Collection[str] | None = visible_flows(request.user)
    return None if flows is None else sorted(flows)
