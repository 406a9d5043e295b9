"""The page that takes a process as a file, in BPMN, PDL or as a graph, shows its checks, and publishes it."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from flows.access import AnyUser, may_add
from flows.designer.draft.content import Design
from flows.designer.imports.problem_rows import rows
from flows.designer.imports.process_choice import ProcessChoice, choice
from flows.designer.picture.diagram import Diagram, diagrams
from flows.designer.publication.open_warnings import held_by_others
from flows.designer.publication.publication_rights import is_hidden, may_publish, taken
from flows.designer.trial.path import limited
from flows.errors import Refused
from flows.languages.bpmn.document.xml import LARGEST
from flows.languages.pdl.picture import as_process
from flows.loading.pdl import ImportedWorkflow
from flows.loading.processes import ENDINGS, Checked, check_file, consequences, outcome, publish_file
from flows.queries.definitions import flow_by_name
from flows.users.holdings import confirmed, typed
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

    def __init__(self, *args: Any, user: AnyUser, **options: Any) -> None:
        super().__init__(*args, **options)
        self._user = user

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if name and not _NAME.fullmatch(name):
            raise forms.ValidationError(_("“%(name)s” is no name of a flow.") % {"name": name})
        # The checks say what publishing would do to the flow, also with its attributes and instances.
        if is_hidden(self._user, name):
            raise forms.ValidationError(taken(name))
        return name


class FileForm(ImportForm):
    """The same where it may be left out: all processes of a file are imported by their own names."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["name"].required = False


@require_http_methods(["GET", "HEAD", "POST"])
@page
def import_process(request: HttpRequest) -> HttpResponse:
    """Ask for a file, show what its checks find and what it becomes, or publish it."""
    if not may_add(request.user):
        raise Http404
    posted = request.method == "POST"
    form = FileForm(request.POST if posted else None, user=request.user, use_required_attribute=False)
    given = _given(request) if posted else None
    if given is None or not form.is_valid():
        error = _("Choose a file of at most 5 MB.") if posted and given is None else ""
        return _show(request, form, {"error": error, "given": given})
    shown: dict[str, Any] = {"error": "", "given": given, "declares": declares(request)}
    try:
        with limited():
            publish = _taken(request, form.cleaned_data["name"], given, shown)
        if publish is not None and request.POST.get("do") == "publish":
            with confirmed(typed(request.POST.get("held"))):
                return HttpResponseRedirect(publish())
    except Refused as refused:
        shown |= {"error": refused.sentence, "held": held_by_others(refused)}
    return _show(request, form, shown)


def _taken(
    request: HttpRequest, name: str, given: Given, shown: dict[str, Any]
) -> Callable[[], str] | None:  # fmt: skip
    """Check a file, and add to what the page shows. Return what publishes it if that is possible.

    What publishes returns where to go on, and raises Refused.
    """
    wanted, declare = request.POST.get("process", ""), shown["declares"]
    several = choice(request.user, given.name, given.content, wanted, declare=declare)
    if several is not None:
        shown |= several.shown()
        if several.all:
            shown |= several.all_shown(request.user)
            return partial(_publish_all, request, several, given, shown) if shown["ready"] else None
        if not several.wanted:
            return None
    if not name:
        shown["error"] = _("Name the flow that the process becomes.")
        return None
    wanted = several.wanted if several is not None else ""
    checked = check_file(name, given.name, given.content, declare=declare, process=wanted)
    shown |= _found(request.user, name, checked)
    return partial(_publish, request, name, given, checked) if shown["ready"] else None


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


def found(checked: Checked, shown: Sequence[Diagram] = ()) -> dict[str, Any]:
    """Return the context for a file or a text that was checked, in the language of the user."""
    listed = rows(checked.problems, shown)
    return {
        "problems": listed[:SHOWN_PROBLEMS],
        "more": max(len(listed) - SHOWN_PROBLEMS, 0),
        "undeclared": any(each.code == "unknown_names" for each in checked.problems),
        "consequences": [*consequences(checked.report)] if checked.report else [],
    }


def _found(user: AnyUser, name: str, checked: Checked) -> dict[str, Any]:
    """Return the context for a file that was checked."""
    shown = _diagrams(checked)
    return found(checked, shown) | {
        "checked": checked,
        "ready": checked.made is not None,
        "shown": shown,
        "publishes": may_publish(user, name),
        "exists": flow_by_name(name) is not None,
        "flow_name": name,
    }


def _diagrams(checked: Checked) -> list[Diagram]:
    if isinstance(checked.made, ImportedWorkflow):
        return diagrams(as_process(checked.made.made.workflow, checked.made.made.library))
    return diagrams(checked.drawn) if checked.drawn is not None else []


def _publish(request: HttpRequest, name: str, given: Given, checked: Checked) -> str:
    """Publish the file, and return the address of the flow. Raises Refused."""
    if checked.made is None or not may_publish(request.user, name):
        raise Http404
    done = publish_file(name, checked.made, request.user.get_username(), _reason(given))
    messages.success(request, outcome(done))
    return Design(name, flow_by_name(name), None).address("picture")


def _publish_all(request: HttpRequest, several: ProcessChoice, given: Given, shown: dict[str, Any]) -> str:
    """Publish all processes of the file, and return the address of the first flow. Raises Refused."""
    if not shown["publishes"]:
        raise Http404
    flows = several.publish(request.user.get_username(), _reason(given))
    published = [name for name, done in flows.items() if done.version is not None]
    if published:
        text = _("These flows are published: %(flows)s.") % {"flows": ", ".join(published)}
        messages.success(request, text)
    for done in flows.values():
        if done.version is None:
            messages.warning(request, outcome(done))
    first = next(iter(flows))
    return Design(first, flow_by_name(first), None).address("picture")


def _reason(given: Given) -> str:
    return f"imported from {given.name}"


def _show(request: HttpRequest, form: ImportForm, shown: dict[str, Any]) -> HttpResponse:
    context = {"form": form, "accepted": ACCEPTED} | shown
    return render(request, "admin/flows/designer/import.html", context)
