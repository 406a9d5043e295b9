"""Which of the persons and roles that a definition names there are, by the tables of the site."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group

from flows.access import ROLE
from flows.definition.lint import People
from flows.definition.lint.persons import named

MOST_ROLES = 1000


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
