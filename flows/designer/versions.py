"""The tab with the published versions of a flow: who, when, why, what changed; restored, exported."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows import api
from flows.access import may_design
from flows.api.drafts import MAIN
from flows.definition.files import FORMATS
from flows.definition.sentences import sentences
from flows.designer.tabs import address, flow_page
from flows.errors import UnknownVersion, WedError
from flows.queries.base import snapshot
from pages.guard import page
from pages.urlparams import number

PER_PAGE = 25
# Files of these sizes are compared by lines within a second.
MOST_LINES = 20_000
_TAGS = {"+": "ins", "-": "del"}


@dataclass(frozen=True)
class Comparison:
    """Two versions compared; each of `lines` has its element's name; None where the files are too long."""

    old: int
    new: int
    sentences: list[str]
    lines: list[tuple[str, str]] | None


@require_http_methods(["GET", "HEAD", "POST"])
@page
def versions(request: HttpRequest, flow_id: int) -> HttpResponse:
    """Return the page; `old` and `new` compare two versions, `format` exports `version`, a POST restores."""
    if request.method == "POST":
        return _restore(request, flow_id)
    with snapshot():
        context = flow_page(request, flow_id, "versions")
        flow = context["flow"].name
        try:
            if request.GET.get("format") in FORMATS:
                return _export(flow, _version(request, "version"), request.GET["format"])
            context |= _listed(request, flow)
        except UnknownVersion as error:
            raise Http404 from error
    return render(request, "admin/flows/designer/versions.html", context)


def _version(request: HttpRequest, name: str) -> int:
    found = number(request.GET.get(name))
    if found is None or not 0 <= found < 2**31:
        raise Http404
    return found


def _listed(request: HttpRequest, flow: str) -> dict[str, Any]:
    before = number(request.GET.get("before"))
    found = api.list_versions(flow, before=before, limit=PER_PAGE + 1)
    shown = found[:PER_PAGE]
    compared = None
    if "old" in request.GET or "new" in request.GET:
        compared = compare(flow, _version(request, "old"), _version(request, "new"))
    return {
        # Each with the version before it, from which it differs.
        "versions": [
            (each, older.version if older else 0)
            for each, older in zip_longest(shown, found[1 : PER_PAGE + 1])
        ],
        "older": shown[-1].version if len(found) > PER_PAGE else None,
        "compared": compared,
        "formats": list(FORMATS),
        "has_draft": any(draft.branch == MAIN for draft in api.list_drafts(flow)),
    }


def compare(flow: str, old: int, new: int) -> Comparison:
    """Return what changed from one version to another. Raises UnknownVersion."""
    definitions = [_definition(flow, version) for version in (old, new)]
    texts = [FORMATS["yaml"].write(_without_numbers(each)).splitlines() for each in definitions]  # type: ignore[arg-type]
    lines = None
    if sum(map(len, texts)) <= MOST_LINES:
        lines = [
            (_TAGS.get(line[:1], "span"), line)
            for line in list(difflib.unified_diff(texts[0], texts[1], lineterm="", n=2))[2:]
        ]
    return Comparison(old, new, sentences(api.difference(*definitions)), lines)


def _definition(flow: str, version: int) -> dict[str, Any]:
    return api.version_definition(flow, version) if version else {"attributes": [], "triggers": []}


def _without_numbers(definition: dict[str, Any]) -> dict[str, Any]:
    """Return the definition as files have it: the numbers of attributes and triggers are this database's."""
    return {
        name: [{key: each[key] for key in each if key != "id"} for each in part]
        if isinstance(part, list)
        else part
        for name, part in definition.items()
    }


def _export(flow: str, version: int, name: str) -> HttpResponse:
    definition = _without_numbers(api.version_definition(flow, version))
    content = FORMATS[name].write({"flow": flow, **definition})  # type: ignore[typeddict-item]
    disposition = f'attachment; filename="{flow}-{version}.{name}"'
    return HttpResponse(content, "text/plain; charset=utf-8", headers={"Content-Disposition": disposition})


def _restore(request: HttpRequest, flow_id: int) -> HttpResponse:
    """Make a version the content of the draft, which is opened if there is none."""
    flow = flow_page(request, flow_id, "versions")["flow"].name
    if not may_design(request.user):
        raise Http404
    version, actor = number(request.POST.get("restore")), request.user.get_username()
    try:
        if version is None or not 0 < version < 2**31:
            raise UnknownVersion
        drafts = [draft for draft in api.list_drafts(flow) if draft.branch == MAIN]
        with transaction.atomic():
            if drafts:
                api.restore_version(drafts[0].at, version, actor=actor)
            else:
                api.open_draft(flow, version=version, actor=actor)
    except WedError as error:
        messages.error(request, error.sentence)
        return HttpResponseRedirect(address("versions", flow_id))
    messages.success(request, _("The draft has the content of version %(v)s now.") % {"v": version})
    return HttpResponseRedirect(address("versions", flow_id))
