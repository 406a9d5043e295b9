"""Files of cases: attach, download, remove."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST, require_safe

from flows import api
from flows.access import masks, may_on, may_repair
from flows.capabilities.cases.api import Case
from flows.capabilities.cases.rights import case_or_404
from flows.errors import Refused, UnknownFile
from monitor.cases.uploads import LimitedUpload, limits, response
from pages.guard import page
from pages.once import claimed, say_again

MOST = 2**63


@require_safe
@page
@masks
def download(request: HttpRequest, case: int, file: int) -> HttpResponse:
    """Return a file of a case."""
    found = case_or_404(request.user, case)
    try:
        return response(*api.cases.read_file(found.number, min(file, MOST - 1)))
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
    found = case_or_404(request.user, case)
    if not may_on(request.user, "handle", found.flow, found.wid):
        return HttpResponseForbidden(_("You may see this case, but not work on it."))
    try:
        name, content = _sent(request)
        with claimed(request) as is_new:
            if not is_new:
                say_again(request)
                return _back(found)
            made = api.cases.attach_file(case, name, content, limits(), request.user.get_username())
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
    found = case_or_404(request.user, case)
    if not may_on(request.user, "handle", found.flow, found.wid):
        return HttpResponseForbidden(_("You may see this case, but not work on it."))
    every = may_repair(request.user, found.flow)
    try:
        api.cases.remove_file(case, min(file, MOST - 1), request.user.get_username(), any_user=every)
        messages.success(request, _("The file is removed."))
    except UnknownFile as error:
        raise Http404 from error
    except Refused as refused:
        messages.error(request, str(refused))
    return _back(found)


def _back(case: Case) -> HttpResponse:
    return HttpResponseRedirect(reverse("monitor:repair", args=[case.wid]) + "#files")
