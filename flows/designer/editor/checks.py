"""The tab with the checks of a definition: what is allowed and probably not meant, each with its evidence."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows import api, json_text
from flows.definition.lint import Finding
from flows.designer.draft import warning_count
from flows.designer.draft.content import Design, may_edit
from flows.designer.draft.edits import title
from flows.designer.draft.tabs import flow_page
from flows.designer.trial.path import limited
from flows.designer.trial.values import as_text
from flows.engine.checks import lint, prepare
from flows.errors import Refused, TooSlow
from flows.queries.base import snapshot
from flows.users.people import people_of
from pages.guard import page
from pages.urlparams import number

_SEVERITY = {"error": ("E", "!"), "warning": ("W", "!"), "info": ("S", "i")}
# Seconds: for evaluating before the page is shown, for evaluating in each part that it loads, for comparing.
AT_ONCE, EACH_TIME, SECONDS = 0.1, 1.0, 2.0
# More of one kind are shown when asked for, up to MOST_SHOWN; there are about twenty kinds.
OF_ONE_KIND, MOST_SHOWN = 10, 200


@require_http_methods(["GET", "HEAD", "POST"])
@page
def checks(request: HttpRequest, flow_id: int) -> HttpResponse:
    """Return the page with the findings about the draft, or about the running definition without one.

    What takes long is examined in portions: the page asks for `?part=findings` until all is done. `check`
    shows all findings of one kind. A POST acknowledges a finding, or takes that back.
    """
    with snapshot():
        context = flow_page(request, flow_id, "checks")
    design: Design = context["design"]
    with limited():  # conditions cannot be compiled in a snapshot, which is read-only
        problems = design.problems
    if request.method == "POST":
        return _act(request, design)
    part = request.GET.get("part") == "findings"
    context |= {"problems": problems, "only": request.GET.get("check", "")}
    if not problems:
        context |= _examined(design, EACH_TIME if part else AT_ONCE, context["only"])
    name = "parts/findings" if part else "checks"
    return render(request, f"admin/flows/designer/{name}.html", context)


def _examined(design: Design, seconds: float, only: str) -> dict[str, Any]:
    """Return the findings, of one kind if `only` names it; or how many conditions are examined so far."""
    try:
        with limited():
            done, conditions = prepare(design.name, design.definition, seconds=seconds)
            if done < conditions:
                return {"done": done, "all": conditions}
            found = lint(design.name, design.definition, seconds=SECONDS, people=people_of(design.definition))
            warning_count.remember(design.name, design.definition, found)
    except (Refused, TooSlow) as error:
        return {"error": error.sentence}
    kept = _ordered([finding for finding in found if only in ("", finding.check)])
    shown, more = _first_of_each(kept, MOST_SHOWN if only else OF_ONE_KIND)
    return {"findings": [_shown(design, finding) for finding in shown], "more": more}


def _ordered(found: list[Finding]) -> list[Finding]:
    """Return the findings with those that are acknowledged last."""
    return sorted(found, key=lambda one: one.acknowledged is not None)


def _first_of_each(found: list[Finding], most: int) -> tuple[list[Finding], list[tuple[Finding, int]]]:
    """Return the first findings of each kind, and of each kind with more one of these with their number."""
    kinds: dict[str, list[Finding]] = {}
    for finding in found:
        kinds.setdefault(finding.check, []).append(finding)
    shown = {id(finding) for some in kinds.values() for finding in some[:most]}
    more = [(some[most], len(some) - most) for some in kinds.values() if len(some) > most]
    return [finding for finding in found if id(finding) in shown], more


def _act(request: HttpRequest, design: Design) -> HttpResponse:
    """Acknowledge a finding or take that back, and return to the page."""
    if not may_edit(request.user, design):
        raise Http404
    kind, finding = request.POST.get("do", ""), request.POST.get("finding", "")
    named = number(request.POST.get("rule"))
    rule = -1 if named is None else named  # -1, which no rule has, is rejected
    warning_count.forget(design.name, design.definition)
    try:
        with limited():
            if kind == "acknowledge":
                reason = request.POST.get("reason", "")
                api.drafts.acknowledge_finding(
                    design.name, finding, reason, rule=rule, actor=request.user.get_username()
                )
                messages.success(request, _("The finding is acknowledged."))
            elif kind == "withdraw":
                api.drafts.withdraw_acknowledgement(design.name, finding, rule=rule)
                messages.success(request, _("The acknowledgement is taken back."))
            else:
                raise Refused(_("The page sent no action that is known."))
    except Refused as error:
        messages.error(request, error.sentence)
    return HttpResponseRedirect(design.address("checks"))


def _shown(design: Design, finding: Finding) -> dict[str, Any]:
    """Return a finding with the part that it concerns, its place on the pages, and what shows it."""
    part, place, *_option = (*finding.path, None, None)
    kind, glyph = _SEVERITY[finding.severity]
    return {
        "finding": finding,
        "kind": kind,
        "glyph": glyph,
        "severity": {"error": _("error"), "warning": _("warning"), "info": _("note")}[finding.severity],
        "how": {"proved": _("proved"), "declared": _("declared"), "observed": _("observed")}[finding.how],
        "about": _about(design.definition, part, place),
        "address": _address(design, part, place),
        "try_address": _try_address(design, finding),
        "state": [(name, as_text(value) or "∅") for name, value in (finding.state or {}).items()],
    }


def _try_address(design: Design, finding: Finding) -> str:
    """Return the address of a trial that begins with the state that shows the finding; empty without one."""
    if finding.state is None:
        return ""
    return f"{design.address('try')}?{urlencode({'state': json_text.encode(finding.state)})}"


def _about(definition: dict[str, Any], part: Any, place: Any) -> str:
    if not isinstance(place, int) or part not in ("triggers", "attributes"):
        return ""
    return title(part, definition[part][place])


def _address(design: Design, part: Any, place: Any) -> str:
    """Return the page where the part is changed: the row is named by its place, from 1."""
    tab = {"triggers": "rules", "attributes": "attributes"}.get(part)
    if tab is None or not isinstance(place, int):
        return ""
    name = "rule" if tab == "rules" else "attribute"
    return f"{design.address(tab)}?{name}={place + 1}"
