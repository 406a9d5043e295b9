"""The pages for a new flow: they ask for a name and open a draft, empty or from the gallery."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from flows import api, patterns
from flows.access import AnyUser, may_add
from flows.definition import FLOW
from flows.designer.draft.content import Design, main_draft, may_edit
from flows.designer.examples import card, cards
from flows.errors import DraftExists, Refused
from flows.patterns import gallery
from flows.queries.definitions import flow_by_name
from flows.summaries import Summary
from flows.types import DraftInfo
from pages.guard import page


class NewFlowForm(forms.Form):
    """The name and the label of a flow."""

    name = forms.CharField(
        label=gettext_lazy("name"),
        max_length=63,
        help_text=gettext_lazy(
            "The schema of its tables: a lower-case letter, then lower-case letters, digits and _."
            " It never changes."
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
    form = _form(request)
    if form.is_valid() and (opened := _open(request, form, None)):
        return opened
    wanted = request.GET.get("q", "")[:100]
    context = {"form": form, "drafts": unpublished(request.user), "wanted": wanted, "cards": cards(wanted)}
    return render(request, "admin/flows/designer/new.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@page
def example(request: HttpRequest, example: str) -> HttpResponse:
    """Show an example of the gallery and open a draft of it; `?handlers=` downloads its code."""
    form = _form(request)
    del form.fields["name"].widget.attrs["autofocus"]  # the page begins with the story
    found = patterns.example_named(example)
    if found is None:
        raise Http404
    flow = request.GET.get("flow", "")
    flow = flow if flow.isidentifier() and flow.isascii() else ""
    code = found.handlers_of(flow)
    if "handlers" in request.GET:
        return _download(code)
    if form.is_valid() and (opened := _open(request, form, found)):
        return opened
    context = {"form": form, "code": code, "flow": flow, **card(found)}
    context |= {"rules": found.localized()["triggers"], "scenarios": list(found.scenarios_of(""))}
    return render(request, "admin/flows/designer/example.html", context)


def _form(request: HttpRequest) -> NewFlowForm:
    if not may_add(request.user):
        raise Http404
    return NewFlowForm(request.POST if request.method == "POST" else None, use_required_attribute=False)


def _download(code: str) -> HttpResponse:
    disposition = 'attachment; filename="transitions.py"'
    return HttpResponse(code, "text/x-python; charset=utf-8", headers={"Content-Disposition": disposition})


def _open(request: HttpRequest, form: NewFlowForm, example: gallery.Example | None) -> HttpResponse | None:
    """Open the draft; with an error of the kernel return nothing and show it at the name."""
    name, label = form.cleaned_data["name"], form.cleaned_data["label"]
    actor = request.user.get_username()
    try:
        with transaction.atomic():
            if example:
                gallery.open_example(example, name, label=label, actor=actor)
            else:
                definition = {"label": label, "attributes": [], "triggers": []}
                api.drafts.open(name, definition=definition, summary=Summary("opened"), actor=actor)
    except DraftExists:
        form.add_error("name", _("A draft of a new flow has this name already; go on with it below."))
        return None
    except Refused as error:
        form.add_error("name", error.sentence)
        return None
    if example:
        messages.success(request, _opened(name, example))
    design = Design(name, None, main_draft(name))
    return HttpResponseRedirect(design.address("rules" if example else "attributes"))


def _opened(name: str, example: gallery.Example) -> str:
    """Return the message about a new flow, with a link to the code of its handlers."""
    number = len(example.scenarios)
    scenarios = ngettext("%(n)s scenario", "%(n)s scenarios", number) % {"n": number}
    return format_html(
        '{} <a href="{}?flow={}#handlers">{}</a>',
        _("The draft is opened with %(scenarios)s; nothing is published. Workers serve its transitions.")
        % {"scenarios": scenarios},
        reverse("admin:flows_flow_example", args=[example.name]),
        name,
        _("The code of their handlers"),
    )


def unpublished(user: AnyUser) -> list[tuple[DraftInfo, str]]:
    """Return the drafts of flows that were never published and that the user may change, with addresses."""
    found = [each for each in api.drafts.list() if each.branch == "main" and each.running_version == 0]
    designs = [(each, Design(each.flow, None, None)) for each in found]
    return [(each, design.address("rules")) for each, design in designs if may_edit(user, design)]
