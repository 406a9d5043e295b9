"""The page People and rights: which person may do what with which flow, why, and new colleagues."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from flows import access
from flows.access import PERMISSIONS, Action, may_manage_people
from flows.queries import search
from flows.queries.search import FlowFound
from flows.users.groups import set_rights
from pages.guard import page
from pages.urlparams import text
from wedsql_site.accounts.account_rights import may_manage
from wedsql_site.web.middleware import uncompressed

FLOWS = 25
PERSONS = 8

TITLES: dict[Action, str | Promise] = {
    "see": gettext_lazy("See"),
    "handle": gettext_lazy("Handle cases"),
    "operate": gettext_lazy("Operate"),
    "repair": gettext_lazy("Repair"),
    "approve_repair": gettext_lazy("Approve repairs"),
    "design": gettext_lazy("Design"),
    "publish": gettext_lazy("Publish"),
    "approve": gettext_lazy("Approve publications"),
    "look": gettext_lazy("Look at single masked values"),
    "reveal": gettext_lazy("See masked values"),
    "move": gettext_lazy("Move instances"),
}
# What is granted together, and what the cells of the table say; one that fits hides those that it has.
LEVELS: dict[str, tuple[Action, ...]] = {
    "see": ("see",),
    "handle": ("see", "handle"),
    "operate": ("see", "handle", "operate"),
    "repair": ("see", "handle", "operate", "repair"),
    "design": ("see", "design", "publish"),
}


@dataclass(frozen=True)
class Right:
    """One thing that a person may do with a flow: where it comes from, and whether this page grants it."""

    action: Action
    title: str | Promise
    sources: Sequence[str]
    is_own: bool
    may_change: bool


def level(rights: Collection[Action]) -> str:
    """Return the level in the cell of a person and a flow."""
    if len(rights) == len(PERMISSIONS):
        return _("Everything")
    held = [name for name, actions in LEVELS.items() if set(actions) <= set(rights)]
    shown = [n for n in held if not any(set(LEVELS[n]) < set(LEVELS[other]) for other in held)]
    covered = {action for name in shown for action in LEVELS[name]}
    others = [str(title) for action, title in TITLES.items() if action in rights and action not in covered]
    return ", ".join([*(str(TITLES[cast("Action", name)]) for name in shown), *others])


@require_http_methods(["GET", "HEAD", "POST"])
@page
def people(request: HttpRequest) -> HttpResponse:
    """Show flows as rows and persons as columns, or create the account of a colleague."""
    _check(request)
    context: dict[str, Any] = {"levels": {name: TITLES[cast("Action", name)] for name in LEVELS}}
    if request.method == "POST":
        context |= _created(request)
    wanted, after_person = text(request, "q")[:150], text(request, "person_after")
    found = search.flows(None)
    rows = [one for one in found if one.name > text(request, "after")]
    persons = _persons(wanted, after_person)
    context |= {
        "wanted": wanted,
        "every_flow": found,
        "persons": persons[:PERSONS],
        "rows": [(flow, _cells(persons[:PERSONS], flow)) for flow in rows[:FLOWS]],
        "more": rows[FLOWS - 1].name if len(rows) > FLOWS else "",
        "more_persons": persons[PERSONS - 1].username if len(persons) > PERSONS else "",
    }
    answer = render(request, "site/people.html", context)
    return uncompressed(answer) if "secret" in context else answer


def _check(request: HttpRequest) -> None:
    if not may_manage_people(request.user):
        raise PermissionDenied(_("This page is for users who may create and change accounts."))


def _persons(wanted: str, after: str) -> list[User]:
    """Return the active users of a page and one more, with all that `rights` reads."""
    every = User.objects.filter(is_active=True, username__gt=after).order_by("username")
    if wanted:
        every = every.filter(username__icontains=wanted)
    found = list(
        every.prefetch_related("groups__permissions__content_type", "user_permissions__content_type")[
            : PERSONS + 1
        ]
    )
    access.preload(found)
    return found


def _cells(persons: Sequence[User], flow: FlowFound) -> list[tuple[User, str]]:
    return [(one, level(access.rights(one, flow.name))) for one in persons]


def _created(request: HttpRequest) -> dict[str, Any]:
    """Create an account with a level for one flow; return its password, or what was typed and is wrong."""
    name = request.POST.get("name", "").strip()[:150]
    flow, chosen = request.POST.get("flow", ""), request.POST.get("level", "")
    typed = {"name": name, "flow": flow, "level": chosen}
    try:
        actions = LEVELS.get(chosen, ())
        if flow and (not actions or flow not in {one.name for one in search.flows(None)}):
            raise ValidationError(_("Choose a flow and what the colleague may do with it."))
        _check_granted(request, flow, actions if flow else ())
        password = secrets.token_urlsafe(12)
        user = User(username=name)
        user.set_password(password)
        user.full_clean()
        with transaction.atomic():
            user.save()
            if flow:
                set_rights(user, flow, actions)
    except ValidationError as error:
        return {"typed": typed, "problems": error.messages}
    return {"made": user, "secret": password}


def _check_granted(request: HttpRequest, flow: str, actions: Collection[Action]) -> None:
    """Reject what the user may not do with the flow. Raises ValidationError."""
    if not request.user.is_superuser and set(actions) - access.rights(request.user, flow):
        raise ValidationError(_("You can only grant what you may do yourself."))


@require_http_methods(["GET", "HEAD", "POST"])
@page
def someone(request: HttpRequest, person: int) -> HttpResponse:
    """Show what a person may do with each flow and why, or change it for one flow."""
    _check(request)
    found = User.objects.filter(pk=person).first() if person < 2**31 else None
    if found is None:
        raise Http404
    if request.method == "POST":
        return _changed(request, found)
    flows = [one for one in search.flows(None) if one.name > text(request, "after")]
    rows = [(one, _rights(request, found, one.name)) for one in flows[:FLOWS]]
    more = flows[FLOWS - 1].name if len(flows) > FLOWS else ""
    manages = may_manage(request.user, found)
    context = {"person": found, "rows": rows, "more": more, "manages": manages, "titles": _titles()}
    return render(request, "site/person.html", context)


def _titles() -> Mapping[str, str | Promise]:
    kinds = {"permission": _("a permission of the account"), "staff": _("staff"), "superuser": _("superuser")}
    return kinds


def _rights(request: HttpRequest, person: User, flow: str) -> list[Right]:
    held, mine = access.sources(person, flow), access.rights(request.user, flow)
    own = access.own_actions(person, flow)
    titles = _titles()
    return [
        Right(
            action,
            title,
            [str(titles.get(each, each)) for each in held.get(action, ())],
            action in own,
            request.user.is_superuser or action in mine,
        )
        for action, title in TITLES.items()
    ]


def _changed(request: HttpRequest, person: User) -> HttpResponse:
    """Grant what was chosen for one flow, and show the page again."""
    flow = request.POST.get("flow", "")
    if flow not in {one.name for one in search.flows(None)}:
        raise Http404
    if not may_manage(request.user, person):
        raise PermissionDenied(_("This account may do more than you. Ask a superuser."))
    chosen = {action for action in PERMISSIONS if action in request.POST.getlist("action")}
    try:
        _check_granted(request, flow, chosen ^ access.own_actions(person, flow))
        set_rights(person, flow, chosen)
        messages.success(request, _("The rights of %(name)s are changed.") % {"name": person.username})
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect(request.get_full_path())
