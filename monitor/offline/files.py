"""Files that a device sends for results made without a connection, each before its result."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST

from flows import api
from flows.capabilities.offline.api import SentFile
from flows.errors import Refused
from monitor.cases.uploads import limits
from monitor.offline.answers import in_language_of_client, is_of_another, of_another, refusing
from monitor.tasks.files import with_files
from pages.guard import page


# The limit must be set before anything reads the form, as the check of its token does.
@csrf_exempt
def file(request: HttpRequest, task: int, attribute: str) -> HttpResponseBase:
    """Store a file for a field of a task that the device was given; sent again it is stored once.

    `via` names the device whose package this one has opened from a file.
    """
    return _file(with_files(request), task=task, attribute=attribute)


@csrf_protect
@require_POST
@page
@in_language_of_client
def _file(request: HttpRequest, task: int, attribute: str) -> HttpResponse:
    if is_of_another(request, request.POST.get("user")):
        return of_another()
    person, given = request.user.get_username(), request.FILES.get("file")
    if given is None:
        return JsonResponse({"code": "", "message": _("Choose a file."), "hint": ""}, status=400)
    key, sent = request.POST.get("device", ""), SentFile(given.name or "", given.read())
    via, number = request.POST.get("via", "").replace("\x00", ""), min(task, 2**63 - 1)
    try:
        if via:
            api.offline.share_package(person, key, number, via)
        made = api.offline.attach_file(person, key, number, attribute, sent, limits())
    except Refused as refused:
        return refusing(refused)
    return JsonResponse({"file": made})
