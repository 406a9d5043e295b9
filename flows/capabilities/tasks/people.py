"""The people to whom a task can be given."""

from __future__ import annotations

from django.contrib.auth import get_user_model
from django.db.models import Q

from flows.access import PREFIX, ROLE

MOST = 200


def colleagues(audience: str, person: str) -> list[str]:
    """Return the user names of the others of an audience, at most `MOST`; superusers are in no role."""
    kind, _colon, name = audience.partition(":")
    if kind == "n":  # offered to some of a role
        kind, name = "r", name.partition(":")[2]
    groups = {
        "r": Q(groups__name=f"{ROLE}{name}"),
        "f": Q(groups__name__in=[f"{PREFIX}{name}:handle", f"{PREFIX}{name}:repair"])
        | Q(groups__permissions__codename__in=["handle_cases", "change_job"]),
    }
    if kind not in groups:
        return []
    found = get_user_model().objects.filter(groups[kind], is_active=True).exclude(username=person)
    return list(found.order_by("username").values_list("username", flat=True).distinct()[:MOST])


def is_person(name: str) -> bool:
    """Return whether a person who may log in has this user name."""
    return bool(get_user_model().objects.filter(username=name, is_active=True).exists())
