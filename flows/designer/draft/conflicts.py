"""The page on which one decides where two persons changed the same thing differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from flows import json_text
from flows.definition import FLOW
from flows.definition.merge import Conflict
from flows.designer.draft.content import Design, Seen
from flows.designer.draft.edits import OPTIONS, Definition, title
from flows.designer.draft.submission import Choices, Conflicting
from flows.designer.draft.tabs import design_page

SIDES = ("mine", "theirs")
_OWN_FIELDS = ("csrfmiddlewaretoken", "settled")


@dataclass(frozen=True)
class Question:
    """One conflict as the page shows it: what it is about and the three values as texts."""

    number: int
    about: str
    base: str
    mine: str
    theirs: str
    chosen: str


def choices(request: HttpRequest) -> Choices | None:
    """Return the choices of the user; None for a form of another page."""
    settled = request.POST.get("settled")
    if not settled:
        return None
    sent = {
        name.removeprefix("side-"): side for name, side in request.POST.items() if name.startswith("side-")
    }
    numbers = {int(n): str(side) for n, side in sent.items() if n.isascii() and n.isdigit() and len(n) < 7}
    return Choices(settled, {n: side for n, side in numbers.items() if side in SIDES})


def ask(request: HttpRequest, design: Design, tab: str, found: Conflicting, target: str = "") -> HttpResponse:
    """Return the page; it sends the same form again to `target` together with the choices."""
    now = Design(design.name, design.flow, found.draft)
    seen = str(Seen.of(found.draft))
    before = choices(request)
    sides = before.sides if before and before.seen == seen else {}
    repeated = [
        (name, value)
        for name, values in request.POST.lists()
        if name not in _OWN_FIELDS and not name.startswith("side-")
        for value in values
    ]
    context = design_page(request, now, tab) | {
        "questions": [
            question(n, each, found.merged, sides.get(n, "")) for n, each in enumerate(found.conflicts)
        ],
        "repeated": repeated,
        "settled": seen,
        "whom": found.draft.changed_by,
        "target": target or now.address(tab),
        "again": before is not None,
        "publish_leads": False,
    }
    return render(request, "admin/flows/designer/conflicts.html", context, status=409)


def question(number: int, conflict: Conflict, merged: Definition, chosen: str = "") -> Question:
    """Return a conflict of a merged definition with its values as texts."""
    part = str(conflict.path[0])
    options = OPTIONS[part] if part in ("attributes", "triggers") else FLOW
    option = options.get(str(conflict.path[-1]))
    base, ours, others = (_text(value, option) for value in (conflict.base, conflict.mine, conflict.theirs))
    return Question(number, _about(conflict, part, option, merged), base, ours, others, chosen)


def _about(conflict: Conflict, part: str, option: Any, merged: Definition) -> str:
    label = str(option.label) if option else str(conflict.path[-1])
    if len(conflict.path) == 1:
        lists = {"attributes": _("order of the attributes"), "triggers": _("order of the rules")}
        return lists.get(part, label)
    place = int(conflict.path[1])
    item = merged[part][place]
    about = _("rule %(place)s (%(name)s)") if part == "triggers" else _("attribute %(place)s (%(name)s)")
    about %= {"place": place + 1, "name": title(part, item)}
    return about if len(conflict.path) == 2 else f"{about}: {label}"


def _text(value: Any, option: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, str):
        return str(option.choices.get(value, value)) if option else value
    if isinstance(value, list):
        return "\n".join(map(str, value))
    return json_text.encode(value, indent=1) if isinstance(value, dict) else str(value)
