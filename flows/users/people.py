"""Which of the persons and roles that a definition names there are, by the tables of the site."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db.models import Q, QuerySet

from flows.access import GRANTED_BY, PERMISSIONS, PREFIX, ROLE, may_handle
from flows.definition.lint import People
from flows.definition.lint.persons import named
from flows.queries.statements import Prepared

MOST_ROLES = 1000
MOST_HANDLING = 100


def people_of(definition: Mapping[str, Any]) -> People:
    """Return which of the persons that a definition names may log in, and the roles that users have."""
    names = {name for name, _path, _place in named(definition)}
    users = get_user_model().objects.filter(username__in=names, is_active=True)
    roles = Group.objects.filter(name__startswith=ROLE, user__is_active=True).distinct()
    found = roles.values_list("name", flat=True)[:MOST_ROLES]
    return People(
        frozenset(users.values_list("username", flat=True)),
        frozenset(name.removeprefix(ROLE).strip() for name in found),
    )


def without_users(roles: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the roles that no user who may log in has, with their flows; `roles`: pairs of role and flow."""
    by_role: dict[str, list[str]] = {}
    for role, flow in roles:
        by_role.setdefault(role.strip(), []).append(flow)
    groups = Group.objects.filter(name__in=[f"{ROLE}{role}" for role in by_role], user__is_active=True)
    there = {name.removeprefix(ROLE).strip() for name in groups.values_list("name", flat=True)}
    return {role: flows for role, flows in by_role.items() if role not in there}


def may_be_given(name: str, flow: str) -> bool:
    """Return whether there is a person of this name who may handle cases of the flow."""
    found = get_user_model().objects.filter(username=name, is_active=True).first()
    return found is not None and may_handle(found, flow)


def handling(flow: str) -> list[str]:
    """Return the names of people whose groups or rights are about handling cases of a flow, up to 100."""
    permissions = [PERMISSIONS[action].partition(".")[2] for action in GRANTED_BY["handle"]]
    groups = [f"{PREFIX}{flow}:{action}" for action in GRANTED_BY["handle"]]
    return [name for (name,) in _handling.rows(*groups, *permissions, *permissions)]


def _who_handle() -> QuerySet[Any, Any]:
    each = GRANTED_BY["handle"]
    found = get_user_model().objects.filter(
        Q(groups__name__in=each)
        | Q(groups__permissions__codename__in=each)
        | Q(user_permissions__codename__in=each),
        is_active=True,
    )
    return found.distinct().order_by("username").values_list("username")[:MOST_HANDLING]


_handling = Prepared(_who_handle)
