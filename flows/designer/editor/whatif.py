"""The tab What if: any condition over the living instances and over the history; nothing is changed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from flows import api
from flows.designer.draft.excerpts import excerpt
from flows.designer.draft.sentences import reader
from flows.designer.draft.tabs import flow_page
from flows.designer.editor.fields import TextField
from flows.designer.editor.lists import Described, readable
from flows.designer.editor.widgets import ConditionTextarea
from flows.designer.trial.path import limited
from flows.errors import Refused, TooSlow
from flows.labels import rule_title
from flows.queries.base import snapshot
from pages.guard import page

# A page examines no more instances than these, and no longer.
LIMIT, SECONDS = 200_000, 4.0
LONGEST = 20_000
# To choose from; each takes a query.
MOST_RULES = 12


class Question(forms.Form):
    """What the address asks."""

    condition = TextField(
        label=gettext_lazy("Condition"), max_length=LONGEST, widget=ConditionTextarea({"rows": 3})
    )


@require_safe
@page
def what_if(request: HttpRequest, flow_id: int) -> HttpResponse:
    """Return the page; `condition` is examined, with `since` in the history after that day, too."""
    with snapshot():
        context = flow_page(request, flow_id, "whatif")
        definition = context["design"].definition
        running = api.drafts.running_definition(context["flow"].name)[1]
    since = request.GET.get("since", "").strip()
    form = Question(request.GET if "condition" in request.GET else None)
    context |= {
        "form": form,
        "since": since,
        # Instances have the attributes that run, also those that a draft has renamed or removed.
        "attributes": readable(running),
        "rules": _rules(definition),
    }
    if form.is_valid():
        context |= _examined(context["flow"].name, running, form.cleaned_data["condition"], since)
    return render(request, "admin/flows/designer/whatif.html", context)


def _rules(definition: dict[str, Any]) -> list[dict[str, str]]:
    """Return the conditions that can be chosen, each as the sentence that it means; final ones first."""
    found = [each for each in definition["triggers"] if each.get("predicate")]
    found.sort(key=lambda each: not each.get("final"))
    with limited():
        read = reader(definition)
        return [
            {
                "title": rule_title(each),
                "sentence": read(str(each["predicate"])),
                "predicate": str(each["predicate"]),
            }
            for each in found[:MOST_RULES]
        ]


def _examined(flow: str, running: dict[str, Any], condition: str, since: str) -> dict[str, Any]:
    after = _time(since)
    if since and after is None:
        return {"bad_time": True}
    types = {each["name"]: each.get("type", "text") for each in running["attributes"]}
    try:
        with limited():
            problem, _reads = api.conditions.check(types, condition)
            if problem:
                return {"problem": Described(problem, excerpt(condition, problem.position))}
            sentence = reader(running)(condition)
            found = api.trials.what_if(
                flow, condition, history=after is not None, since=after, limit=LIMIT, seconds=SECONDS
            )
    except (Refused, TooSlow) as error:
        return {"error": error.sentence}
    samples = [
        (wid, datetime.fromisoformat(found["since"][str(wid)]) if str(wid) in found["since"] else None)
        for wid in found["sample"]
    ]
    past = found.get("history")
    return {
        "found": found,
        "sentence": sentence if sentence != condition else "",
        "samples": samples,
        "past": past,
        "whole": found["examined"] >= found["living"] and (not past or past["examined"] >= past["instances"]),
        "months": sorted((past.get("by_month") or {}).items(), reverse=True) if past else [],
    }


def _time(text: str) -> datetime | None:
    """Return a day or a time, which is UTC; None if it is neither."""
    try:
        day = parse_date(text)
        found = datetime(day.year, day.month, day.day, tzinfo=UTC) if day else parse_datetime(text)
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found and found.tzinfo is None else found
