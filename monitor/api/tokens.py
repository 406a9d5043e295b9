"""Tokens: made once, found by their digest, and revoked."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from flows.queries.definitions import flow_rows
from monitor.models import ApiToken

RIGHTS = ("operate", "handle", "repair", "look", "perform", "move")
MOST_DAYS = 366
MOST_TOKENS = 50
MOST_FLOWS = 100
# How often the last use of a token is written.
USE_EVERY = timedelta(minutes=1)
_TEXT = re.compile(r"wed_[0-9a-f]{8}_[A-Za-z0-9_-]{43}", re.ASCII)


class BadToken(ValueError):
    """A token cannot be made as requested; the text is for the user."""


def create(
    user: Any, name: str, days: int, flows: Iterable[str] = (), rights: Iterable[str] = ()
) -> tuple[ApiToken, str]:
    """Create a token and return it with its secret text, which is stored nowhere. Raises BadToken."""
    name, chosen, wanted = name.strip().replace("\x00", ""), sorted(set(flows)), sorted(set(rights))
    _check(user, name, days, chosen, wanted)
    prefix = f"wed_{secrets.token_hex(4)}"
    secret = f"{prefix}_{secrets.token_urlsafe(32)}"
    now = timezone.now()
    token = ApiToken.objects.create(
        user=user,
        name=name,
        prefix=prefix,
        digest=_digest(secret),
        flows=chosen,
        rights=wanted,
        created_at=now,
        expires_at=now + timedelta(days=days),
    )
    return token, secret


def _check(user: Any, name: str, days: int, flows: list[str], rights: list[str]) -> None:
    if not 0 < len(name) <= 100:
        raise BadToken("A token needs a name of at most 100 characters.")
    if not 1 <= days <= MOST_DAYS:
        raise BadToken(f"A token is valid for 1 to {MOST_DAYS} days.")
    if set(rights) - set(RIGHTS):
        raise BadToken(f"The rights of a token are: {', '.join(RIGHTS)}.")
    if len(flows) > MOST_FLOWS:
        raise BadToken(f"A token names at most {MOST_FLOWS} flows.")
    unknown = set(flows) - set(flow_rows([each.replace("\x00", "") for each in flows]))
    if unknown:
        raise BadToken(f"There is no flow {sorted(unknown)[0][:63]}.")
    if usable(user).count() >= MOST_TOKENS:
        raise BadToken(f"An account has at most {MOST_TOKENS} tokens; revoke one first.")


def find(text: str) -> ApiToken | None:
    """Return the token of this text with its user, if it is valid now, and record its use."""
    if not _TEXT.fullmatch(text):
        return None
    found = ApiToken.objects.select_related("user").filter(digest=_digest(text)).first()
    now = timezone.now()
    if found is None or not is_valid(found, now):
        return None
    _record_use(found, now)
    return found


def valid(key: int) -> ApiToken | None:
    """Return the token of this primary key with its user, if it is valid now."""
    found = ApiToken.objects.select_related("user").filter(pk=key).first()
    return found if found is not None and is_valid(found) else None


def is_valid(token: ApiToken, now: datetime | None = None) -> bool:
    """Return whether a token is neither revoked nor expired, and its account is active."""
    return token.revoked_at is None and token.expires_at > (now or timezone.now()) and token.user.is_active


def revoke(user: Any, prefix: str) -> bool:
    """Revoke a token of this user; False if there is no such token that is valid."""
    return bool(usable(user).filter(prefix=prefix).update(revoked_at=timezone.now()))


def usable(user: Any) -> Any:
    """Return the tokens of a user that are neither revoked nor expired, newest first."""
    valid = ApiToken.objects.filter(user=user, revoked_at=None, expires_at__gt=timezone.now())
    return valid.order_by("-id")


def _digest(text: str) -> str:
    # 256 random bits need no slow hash: there is nothing to guess.
    return hashlib.sha256(text.encode()).hexdigest()


def _record_use(token: ApiToken, now: datetime) -> None:
    """Write the last use, at most once in USE_EVERY, so that reading does not write each time."""
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - USE_EVERY)
    if token.last_used_at is None or token.last_used_at < now - USE_EVERY:
        ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=now)
