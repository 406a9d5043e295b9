"""The part of the publish page that says what publishing would do, with the choices per group."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flows import api
from flows.designer.draft.current import proposed_definition, title_at
from flows.designer.draft.tabs import flow_page
from flows.designer.trial.path import limited
from flows.errors import Refused, TooSlow
from flows.queries.base import snapshot
from flows.types import Counted, GroupChoices, Impact
from pages.guard import page
from pages.urlparams import number


@require_safe
@page
def impact(request: HttpRequest, flow_id: int) -> HttpResponse:
    """Return the part of the page that says what publishing would do to the living instances."""
    with snapshot():
        flow = flow_page(request, flow_id, "publish")["flow"].name
        proposed = proposed_definition(flow, number(request.GET.get("version")))
    context = examined(flow, proposed.definition, request.GET.get("reopen") == "1", groups_of(request.GET))
    return render(request, "admin/flows/designer/impact.html", {"flow_id": flow_id} | context)


def examined(flow: str, definition: dict[str, Any], reopen: bool, chosen: GroupChoices) -> dict[str, Any]:
    """Return the context of the template: the impact with these choices, or the error."""
    try:
        found = impact_of(flow, definition, reopen, chosen)
    except (Refused, TooSlow) as error:
        return {"error": error.sentence}
    triggers = definition["triggers"]
    rules = [
        {
            "title": title_at(triggers, rule.trigger),
            "found": rule,
            "predicate": "" if rule.trigger is None else triggers[rule.trigger].get("predicate", ""),
            "integrity": rule.trigger is not None and bool(triggers[rule.trigger].get("integrity")),
            "consequences": rule.fails.count,
            "withdraw": rule.trigger in chosen.withdraw,
            "later": rule.trigger in chosen.later,
        }
        for rule in found.rules
    ]
    return {"impact": found, "groups": _groups(found), "rules": rules, "chosen": chosen}


def impact_of(flow: str, definition: dict[str, Any], reopen: bool, groups: GroupChoices) -> Impact:
    """Return the impact, examined as long as a page may take."""
    with limited():
        return api.trials.impact(flow, definition, reopen_final=reopen, groups=groups, seconds=4.0)


def groups_of(form: QueryDict) -> GroupChoices:
    """Return the choices per group that a form has."""
    withdraw, later = (
        tuple(place for place in map(number, form.getlist(name)) if place is not None and 0 <= place < 10**6)
        for name in ("withdraw", "later")
    )
    return GroupChoices(withdraw, later, "keep_exceptions" in form)


def _groups(found: Impact) -> list[tuple[str, str, Counted]]:
    """Return the groups of instances that something happens to: name of the colour, sentence, instances."""
    groups = [
        ("E", _("become exceptions"), found.new_exception),
        ("R", _("leave the exception"), found.left_exception),
        ("F", _("become final"), found.final),
        ("R", _("are reopened"), found.reopened),
        ("S", _("stay final, but the final condition no longer holds"), found.no_longer_final),
        ("E", _("make publishing fail: a condition fails on them"), found.refused),
    ]
    return [group for group in groups if group[2].count]
