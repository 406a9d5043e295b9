"""Who may change which account: no user gives another one more than they have."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Permission, User
from django.db.models import Q, QuerySet


def held_permissions(user: Any) -> QuerySet[Permission]:
    """Return the permissions of the user, own or by a group; all of them for a superuser."""
    everything = Permission.objects.all()
    if user.is_superuser:
        return everything
    return everything.filter(Q(user=user) | Q(group__user=user)).distinct()


def may_manage(actor: Any, target: User) -> bool:
    """Return whether a change of this account, even of its password, gives the actor no new permission."""
    if actor.is_superuser:
        return True
    own = held_permissions(actor).values("pk")
    return not target.is_superuser and not held_permissions(target).exclude(pk__in=own).exists()
