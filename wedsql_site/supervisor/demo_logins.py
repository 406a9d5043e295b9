"""Log-ins of the demo: one for each kind of work in its shop and its office."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import check_password, make_password

from wedsql_site import secrets_store

PASSWORD_FILE = "demo_password"  # noqa: S105 - the name of a file
# The groups of each.
LOGINS: Mapping[str, Sequence[str]] = {
    "clerk": ("flow:orders:handle", "role:Clerk"),
    "senior": (
        "flow:orders:repair",
        "flow:orders:operate",
        "flow:expenses:operate",
        "flow:expenses:handle",
        "role:Senior",
    ),
    "approver": ("flow:orders:repair", "flow:orders:approve", "flow:orders:approve_repair"),
    "auditor": ("flow:orders", "flow:orders:reveal"),
}


@dataclass(frozen=True)
class DemoLogins:
    """The log-ins whose password is still the one that was created for them."""

    names: Sequence[str]
    password: str


def ensure() -> DemoLogins:
    """Create the log-ins of the demo that do not exist, all with one password."""
    from django.contrib.auth.models import Group

    password = secrets_store.get_or_create(PASSWORD_FILE, lambda: secrets.token_urlsafe(9))
    users = get_user_model()
    stored = dict(users.objects.filter(username__in=LOGINS).values_list("username", "password"))
    known = set()
    if missing := [name for name in LOGINS if name not in stored]:
        encoded = make_password(password)
        known.add(encoded)
        for name in missing:
            user = users.objects.create(username=name, password=encoded)
            user.groups.set([Group.objects.get_or_create(name=each)[0] for each in LOGINS[name]])
            stored[name] = encoded
    known |= {encoded for encoded in set(stored.values()) - known if check_password(password, encoded)}
    return DemoLogins([name for name in LOGINS if stored[name] in known], password)
