"""Files of forms: sent for a field of a task, and downloaded by who may see the attribute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile, StopUpload
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from flows import api
from flows.access import instance_or_404, masks
from flows.capabilities.tasks.api import TaskSheet
from flows.capabilities.tasks.rights import may_do, task_or_404
from flows.designer.forms import form_layout as layout
from flows.designer.trial.values import as_text
from flows.errors import Refused, UnknownFile
from monitor.cases.uploads import MB, download, limits
from pages.guard import page

# A body is read to its end, so that the texts behind a file that is too large are there; but not for ever.
LONGEST_BODY = 64 * MB
MOST_FILES = 4


class FormUploads(FileUploadHandler):
    """Reads the files of a form into memory, of each at most one byte more than a file may have.

    So the kernel rejects what is too large, nothing is written to a disk, and the texts of the form arrive.
    """

    def __init__(self, request: Any = None) -> None:
        super().__init__(request)
        self.most = limits().size + 1
        self.read = 0
        self.files = 0

    def new_file(self, *given: Any, **more: Any) -> None:
        """Begin a file. Raises SkipFile for more than a form has at once."""
        super().new_file(*given, **more)
        self.files += 1
        if self.files > MOST_FILES:
            raise SkipFile
        self.parts: list[bytes] = []
        self.left = self.most

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Keep a part of the file. Raises StopUpload where the body is far too long."""
        self.read += len(raw_data)
        if self.read > LONGEST_BODY:
            raise StopUpload(connection_reset=True)
        if self.left:
            self.parts.append(raw_data[: self.left])
            self.left -= len(self.parts[-1])

    def file_complete(self, file_size: int) -> UploadedFile:
        """Return the file."""
        return SimpleUploadedFile(self.file_name or "", b"".join(self.parts))


def with_files(request: HttpRequest) -> HttpRequest:
    """Have the files of a form read within limits; called before anything reads the form."""
    if request.method == "POST":
        request.upload_handlers = [FormUploads(request)]
    return request


def received(request: HttpRequest, sheet: TaskSheet) -> tuple[dict[str, str], dict[str, str]]:
    """Store the files that a form sends; return their descriptions by field, what is wrong by attribute."""
    texts, wrong = {}, {}
    for each in layout.given_fields(sheet.form) if sheet.form else ():
        name = str(each["attribute"])
        file = request.FILES.get(f"file-{name}") if each.get("kind") == "file" else None
        if file is None or not (file.name or file.size):
            continue
        try:
            texts[f"value-{name}"] = as_text(_attached(request, sheet, name, file), "jsonb")
        except Refused as refused:
            wrong[name] = refused.sentence
    return texts, wrong


def _attached(request: HttpRequest, sheet: TaskSheet, name: str, file: UploadedFile) -> Mapping[str, Any]:
    person = request.user.get_username()
    return api.task_forms.attach_file(sheet.job_id, person, name, file.name or "", file.read(), limits())


# The limit must be set before anything reads the form, as the check of its token does.
@csrf_exempt
def file(request: HttpRequest, task: int, attribute: str) -> HttpResponseBase:
    """Download the file of a task's field, or send one for it."""
    return _file(with_files(request), task, attribute)


@csrf_protect
@require_http_methods(["GET", "HEAD", "POST"])
@page
@masks
def _file(request: HttpRequest, task: int, attribute: str) -> HttpResponse:
    sheet, flow = task_or_404(request.user, task)
    if attribute in flow.internal or not flow.shows(attribute):
        raise Http404
    if request.method != "POST":
        asked = request.GET.get("sha256", "")[:64].replace("\x00", "") or None
        return _download(sheet.wid, attribute, asked, request.user.get_username())
    if not may_do(request.user, sheet, "complete"):
        return HttpResponseForbidden()
    given = request.FILES.get("file")
    if given is None:
        return JsonResponse({"error": _("Choose a file.")}, status=400)
    try:
        made = _attached(request, sheet, attribute, given)
    except Refused as refused:
        return JsonResponse({"error": refused.sentence}, status=refused.status)
    return JsonResponse({"file": made, "text": as_text(made, "jsonb")})


@require_safe
@page
@masks
def of_instance(request: HttpRequest, wid: int, attribute: str) -> HttpResponse:
    """Download the file that an attribute of an instance describes now."""
    instance, flow = instance_or_404(request.user, wid)
    if attribute in flow.internal or not flow.shows(attribute):
        raise Http404
    return _download(instance.wid, attribute, None, None)


def _download(wid: int, attribute: str, sha256: str | None, person: str | None) -> HttpResponse:
    try:
        found, content = api.task_forms.read_file(wid, attribute, sha256, person)
    except UnknownFile as error:
        raise Http404 from error
    return download(str(found["name"]), content)
