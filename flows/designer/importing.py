"""The page that takes a process as a file, in BPMN, PDL or as a graph, shows its checks, and publishes it."""

from __future__ import annotations

import base64
import re
import zlib
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from flows.access import AnyUser, may, may_add
from flows.designer.diagram import Diagram, diagrams
from flows.designer.draft import Design
from flows.designer.trying import limited
from flows.errors import Refused
from flows.languages.bpmn.xml import LARGEST
from flows.languages.graph.problems import most_severe
from flows.languages.pdl.picture import as_process
from flows.languages.sentences import translated
from flows.loading.bpmn import ImportedProcess
from flows.loading.pdl import ImportedWorkflow
from flows.loading.processes import ENDINGS, Checked, check_file, consequences, outcome, publish_file
from flows.queries.definitions import flow_by_name
from pages.guard import page

ACCEPTED = ",".join(f".{each}" for each in ENDINGS)
_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
_LONGEST_FILE_NAME = 200
SHOWN_PROBLEMS = 200


@dataclass(frozen=True)
class Given:
    """A file as the page has it: its name and content."""

    name: str
    content: bytes

    @property
    def packed(self) -> str:
        """Return the content as the page sends it again, so that it need not be chosen twice."""
        return base64.b64encode(zlib.compress(self.content)).decode()


class ImportForm(forms.Form):
    """The flow that a process becomes."""

    name = forms.CharField(
        label=gettext_lazy("flow"),
        max_length=63,
        help_text=gettext_lazy(
            "A new flow, or one whose next version this is. Its name has a lower-case letter, then lower-case"
            " letters, digits and _."
        ),
        widget=forms.TextInput(attrs={"class": "mono", "autocomplete": "off"}),
    )

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if not _NAME.fullmatch(name):
            raise forms.ValidationError(_("“%(name)s” is no name of a flow.") % {"name": name})
        return name


@require_http_methods(["GET", "HEAD", "POST"])
@page
def import_process(request: HttpRequest) -> HttpResponse:
    """Ask for a file, show what its checks find and what it becomes, or publish it."""
    if not may_add(request.user):
        raise Http404
    posted = request.method == "POST"
    form = ImportForm(request.POST if posted else None, use_required_attribute=False)
    given = _given(request) if posted else None
    if not form.is_valid() or given is None:
        missing = posted and given is None
        error = _("Choose a file of at most 5 MB.") if missing else ""
        return _show(request, form, {"error": error, "given": given})
    name = form.cleaned_data["name"]
    try:
        with limited():
            checked = check_file(name, given.name, given.content, declare=declares(request))
    except Refused as refused:
        return _show(request, form, {"error": refused.sentence, "given": given})
    error = ""
    if request.POST.get("do") == "publish" and checked.made is not None:
        error = _publish(request, name, given, checked)
        if not error:
            return HttpResponseRedirect(Design(name, flow_by_name(name), None).address("picture"))
    found = _found(request.user, name, checked) | {"declares": declares(request)}
    return _show(request, form, {"error": error, "given": given} | found)


def declares(request: HttpRequest) -> bool:
    """Return whether the names that a file does not declare become attributes."""
    return request.POST.get("do") == "declare" or bool(request.POST.get("declare"))


def _given(request: HttpRequest) -> Given | None:
    """Return the file that was chosen, or the one that the page had; None without a readable one."""
    file = request.FILES.get("file")
    if file is not None:
        size = file.size or 0
        return Given(str(file.name)[-_LONGEST_FILE_NAME:], file.read()) if size <= LARGEST else None
    try:
        packed = base64.b64decode(request.POST.get("packed", ""), validate=True)
        content = zlib.decompressobj().decompress(packed, LARGEST + 1)
    except (ValueError, zlib.error):
        return None
    name = request.POST.get("file_name", "")[-_LONGEST_FILE_NAME:]
    return Given(name, content) if content and len(content) <= LARGEST else None


def found(checked: Checked) -> dict[str, Any]:
    """Return what a page lists of a file or a text that was checked, in the language of the user."""
    problems = most_severe(checked.problems, SHOWN_PROBLEMS)
    return {
        "problems": [replace(each, message=translated(each.message)) for each in problems],
        "more": max(len(checked.problems) - SHOWN_PROBLEMS, 0),
        "undeclared": any(each.code == "unknown_names" for each in checked.problems),
        "consequences": [*consequences(checked.report)] if checked.report else [],
    }


def _found(user: AnyUser, name: str, checked: Checked) -> dict[str, Any]:
    """Return what the page shows of a file that was checked."""
    return found(checked) | {
        "checked": checked,
        "shown": _diagrams(checked),
        "publishes": may_publish(user, name),
        "exists": flow_by_name(name) is not None,
        "flow_name": name,
    }


def _diagrams(checked: Checked) -> list[Diagram]:
    if isinstance(checked.made, ImportedWorkflow):
        return diagrams(as_process(checked.made.made.workflow, checked.made.made.library))
    return diagrams(checked.made.made.process) if isinstance(checked.made, ImportedProcess) else []


def may_publish(user: AnyUser, name: str) -> bool:
    """Return whether the user may make a file the next version of this flow, or a new flow of it."""
    exists = flow_by_name(name) is not None
    return may(user, "publish", name) and (may(user, "design", name) if exists else may_add(user))


def _publish(request: HttpRequest, name: str, given: Given, checked: Checked) -> str:
    """Publish the file, and return why it cannot be published; empty if it was."""
    if checked.made is None or not may_publish(request.user, name):
        raise Http404
    actor = request.user.get_username()
    try:
        done = publish_file(name, checked.made, actor, f"imported from {given.name}")
    except Refused as refused:
        return refused.sentence
    messages.success(request, outcome(done))
    return ""


def _show(request: HttpRequest, form: ImportForm, shown: dict[str, Any]) -> HttpResponse:
    context = {"form": form, "accepted": ACCEPTED} | shown
    return render(request, "admin/flows/designer/import.html", context)
