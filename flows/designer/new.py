"""The page for a new flow: it asks for a name and opens a draft."""

from __future__ import annotations

from django import forms
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from flows import api
from flows.access import may_design
from flows.definition import FLOW
from flows.designer.draft import Design, main_draft
from flows.errors import DraftExists, WedError
from flows.queries.definitions import flow_by_name
from flows.types import DraftInfo
from pages.guard import page


class NewFlowForm(forms.Form):
    """The name and the label of a flow."""

    name = forms.CharField(
        label=gettext_lazy("name"),
        max_length=63,
        help_text=gettext_lazy(
            "The schema of its tables: a small letter, then small letters, digits and _. It never changes."
        ),
        widget=forms.TextInput(attrs={"class": "mono", "autocomplete": "off", "autofocus": True}),
    )
    label = forms.CharField(
        label=FLOW["label"].label,
        help_text=FLOW["label"].help,
        max_length=1000,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def clean_name(self) -> str:
        name = self.cleaned_data["name"]
        if flow_by_name(name):
            raise forms.ValidationError(_("There is a flow “%(name)s” already.") % {"name": name})
        return name


@require_http_methods(["GET", "HEAD", "POST"])
@page
def new(request: HttpRequest) -> HttpResponse:
    """Ask for a name and a label, and open a draft."""
    if not may_design(request.user, "add"):
        raise Http404
    form = NewFlowForm(request.POST if request.method == "POST" else None, use_required_attribute=False)
    if form.is_valid() and (opened := _open(request, form)):
        return opened
    context = {"form": form, "drafts": unpublished()}
    return render(request, "admin/flows/designer/new.html", context)


def _open(request: HttpRequest, form: NewFlowForm) -> HttpResponse | None:
    """Open the draft; with an error of the kernel return nothing and show it at the name."""
    name, label = form.cleaned_data["name"], form.cleaned_data["label"]
    definition = {"label": label, "attributes": [], "triggers": []}
    actor = request.user.get_username()
    try:
        with transaction.atomic():
            api.open_draft(name, definition=definition, summary=_("opened"), actor=actor)
    except DraftExists:
        form.add_error("name", _("A draft of a new flow has this name already; go on with it below."))
        return None
    except WedError as error:
        form.add_error("name", error.sentence)
        return None
    return HttpResponseRedirect(Design(name, None, main_draft(name)).address("attributes"))


def unpublished() -> list[tuple[DraftInfo, str]]:
    """Return the drafts of flows that were never published, with their addresses."""
    found = [each for each in api.list_drafts() if each.branch == "main" and each.running_version == 0]
    return [(each, Design(each.flow, None, None).address("rules")) for each in found]
