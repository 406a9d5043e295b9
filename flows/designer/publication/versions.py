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
from flows.access import may
from flows.definition.files import FORMATS, without_numbers
from flows.definition.sentences import order_sentences, sentences
from flows.designer.draft.sentences import reader
from flows.designer.draft.tabs import address, flow_page
from flows.designer.editor.files import DOWNLOADS, download
from flows.designer.publication.outcome import Outcome, outcomes
from flows.designer.trial.path import limited
from flows.errors import Refused, UnknownVersion
from flows.queries.base import snapshot
from flows.queries.counts import Count
from flows.queries.definitions import FlowInfo
from flows.queries.instances import by_version
from flows.types import MAIN, Version
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


@dataclass(frozen=True)
class Listed:
    """One version, the one before it, how many instances it started, and what its publication did."""

    version: Version
    before: int
    started: Count
    outcome: Outcome | None


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
            if request.GET.get("format") in DOWNLOADS:
                version = _version(request, "version")
                definition = api.publications.version_definition(flow, version)
                return download(flow, version, definition, request.GET["format"])
            context |= _listed(request, context["flow"])
        except UnknownVersion as error:
            raise Http404 from error
    context["compared"] = _compared(request, flow)
    return render(request, "admin/flows/designer/versions.html", context)


def _version(request: HttpRequest, name: str) -> int:
    found = number(request.GET.get(name))
    if found is None:
        raise Http404
    return found


def _listed(request: HttpRequest, flow: FlowInfo) -> dict[str, Any]:
    before = number(request.GET.get("before"))
    found = api.publications.list_versions(flow.name, before=before, limit=PER_PAGE + 1)
    shown = found[:PER_PAGE]
    started = by_version(flow.id, [each.version for each in shown])
    done = outcomes(each.publication_id for each in shown if each.publication_id)
    return {
        "versions": [
            Listed(
                each, older.version if older else 0, started[each.version], done.get(each.publication_id or 0)
            )
            for each, older in zip_longest(shown, found[1 : PER_PAGE + 1])
        ],
        "older": shown[-1].version if len(found) > PER_PAGE else None,
        "formats": DOWNLOADS,
        "has_draft": any(draft.branch == MAIN for draft in api.drafts.list(flow.name)),
    }


def _compared(request: HttpRequest, flow: str) -> Comparison | None:
    if "old" not in request.GET and "new" not in request.GET:
        return None
    try:
        with limited():
            return compare(flow, _version(request, "old"), _version(request, "new"))
    except UnknownVersion as error:
        raise Http404 from error


def compare(flow: str, old: int, new: int) -> Comparison:
    """Return the changes from one version to another. Raises UnknownVersion."""
    definitions = [_definition(flow, version) for version in (old, new)]
    texts = [FORMATS["yaml"].write(without_numbers(each)).splitlines() for each in definitions]
    lines = None
    if sum(map(len, texts)) <= MOST_LINES:
        lines = [
            (_TAGS.get(line[:1], "span"), line)
            for line in list(difflib.unified_diff(texts[0], texts[1], lineterm="", n=2))[2:]
        ]
    said = sentences(api.flows.difference(*definitions), reader(*definitions)) + order_sentences(*definitions)
    return Comparison(old, new, said, lines)


def _definition(flow: str, version: int) -> dict[str, Any]:
    return (
        api.publications.version_definition(flow, version) if version else {"attributes": [], "triggers": []}
    )


def _restore(request: HttpRequest, flow_id: int) -> HttpResponse:
    """Make a version the content of the draft, which is opened if there is none."""
    flow = flow_page(request, flow_id, "versions")["flow"].name
    if not may(request.user, "design", flow):
        raise Http404
    version, actor = number(request.POST.get("restore")), request.user.get_username()
    try:
        if version is None:
            raise UnknownVersion
        drafts = [draft for draft in api.drafts.list(flow) if draft.branch == MAIN]
        with transaction.atomic():
            if drafts:
                api.publications.restore_version(drafts[0].at, version, actor=actor)
            else:
                api.drafts.open(flow, version=version, actor=actor)
    except Refused as error:
        messages.error(request, error.sentence)
        return HttpResponseRedirect(address("versions", flow_id))
    messages.success(request, _("The draft has the content of version %(v)s now.") % {"v": version})
    return HttpResponseRedirect(address("versions", flow_id))
