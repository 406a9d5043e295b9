"""Binds sessions to the second factor: a session made without it ends once it is set up.

Pages, the admin and live connections all get the user of a session from the backend and compare the session's
hash, so the protection does not depend on the page that asks for the code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import Group, User
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Subquery
from django_otp.plugins.otp_totp.models import TOTPDevice

from flows.access import note_groups
from flows.queries.statements import Prepared
from wedsql_site.second_factor import devices, policy

PATH = "wedsql_site.second_factor.backend.Backend"
_own = TOTPDevice.objects.filter(user_id=OuterRef("pk"), confirmed=True)
_groups = Group.objects.filter(user=OuterRef("pk"))
_user = Prepared(
    lambda: User.objects.annotate(
        factor=Subquery(_own.values("pk")[:1]), names_of_groups=ArraySubquery(_groups.values("name"))
    ).filter(pk=0)
)


class Backend(ModelBackend):
    """Django's backend, which returns no user without a second factor if one is required."""

    def get_user(self, user_id: int) -> Any:
        user = _user.instance(User, user_id, more=("factor", "names_of_groups"))
        if user is None or not self.user_can_authenticate(user):
            return None
        note_groups(user, user.names_of_groups)
        return None if user.factor is None and policy.is_required(user) else user


def bind_sessions() -> None:
    """Make the hash in each session depend on the user's second factor."""
    plain, former = User.get_session_auth_hash, User.get_session_auth_fallback_hash

    def current(self: User) -> str:
        return plain(self) + _mark(self)

    def fallbacks(self: User) -> Iterator[str]:
        mark = _mark(self)
        return (old + mark for old in former(self))

    User.add_to_class("get_session_auth_hash", current)
    User.add_to_class("get_session_auth_fallback_hash", fallbacks)


def _mark(user: Any) -> str:
    if not policy.is_offered():
        return ""
    if "factor" in user.__dict__:
        factor = user.factor
    else:
        device = devices.factor_of(user)
        factor = device and device.pk
    return "" if factor is None else f".{factor}"
