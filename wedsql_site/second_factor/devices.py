"""Users' keys and backup codes, stored and checked by django-otp."""

from __future__ import annotations

import math
import secrets
import unicodedata
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

BACKUP_CODES = 10
BACKUP_DIGITS = 10
# Each wrong code doubles the waiting time, which begins with a second: without a limit, an attacker with
# the password could lock out the owner for years.
_MOST_DOUBLINGS = 8


class MustWait(Exception):
    """Too many wrong codes; the next is checked after some seconds."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"no code is checked for {seconds} s")
        self.seconds = seconds


def factor_of(user: Any) -> TOTPDevice | None:
    """Return the confirmed device of the user, or None."""
    return TOTPDevice.objects.filter(user_id=user.pk, confirmed=True).first()


def begin(user: Any) -> TOTPDevice:
    """Create a new key, which has no effect until one of its codes was entered."""
    with transaction.atomic():
        TOTPDevice.objects.filter(user_id=user.pk, confirmed=False).delete()
        return TOTPDevice.objects.create(user_id=user.pk, name="app", confirmed=False)


def begun(user: Any, pk: Any) -> TOTPDevice | None:
    """Return the user's new key that is not confirmed yet."""
    return TOTPDevice.objects.filter(user_id=user.pk, pk=pk, confirmed=False).first()


def confirm(device: TOTPDevice, code: str) -> list[str] | None:
    """Turn the second factor on if the code is right; return the backup codes, None for a wrong code."""
    with transaction.atomic():
        _lock(device.user_id)
        own = TOTPDevice.objects.filter(user_id=device.user_id)
        found = own.select_for_update().filter(pk=device.pk, confirmed=False).first()
        if found is None or own.filter(confirmed=True).exists() or not _accepts(found, code):
            return None
        found.confirmed = True
        found.save()
        return _new_codes(device.user_id)


def verify(user: Any, code: str) -> bool:
    """Return whether this is a code of the app or an unused backup code, and use it up."""
    model: Any = StaticDevice if len(code) == BACKUP_DIGITS else TOTPDevice
    with transaction.atomic():
        device = model.objects.select_for_update().filter(user_id=user.pk, confirmed=True).first()
        return device is not None and _accepts(device, code)


def new_codes(user: Any) -> list[str]:
    """Replace the backup codes and return the new ones."""
    with transaction.atomic():
        _lock(user.pk)
        return _new_codes(user.pk)


def codes_left(user: Any) -> int:
    """Return the number of unused backup codes."""
    return StaticToken.objects.filter(device__user_id=user.pk).count()


def remove(user: Any) -> bool:
    """Delete the key and the backup codes of the user; return whether a second factor was on."""
    with transaction.atomic():
        _lock(user.pk)
        was_on = factor_of(user) is not None
        for model in (TOTPDevice, StaticDevice):
            model.objects.filter(user_id=user.pk).delete()
        return was_on


def plain(code: str) -> str:
    """Return the code without spaces and hyphens; '' if it is not a number."""
    digits = "".join(unicodedata.normalize("NFKC", code).replace("-", " ").split())
    return digits if digits.isascii() and digits.isdecimal() else ""


def _accepts(device: Any, code: str) -> bool:
    device.throttling_failure_count = min(device.throttling_failure_count, _MOST_DOUBLINGS + 1)
    allowed, why = device.verify_is_allowed()
    if not allowed:
        raise MustWait(math.ceil((why["locked_until"] - timezone.now()).total_seconds()))
    return bool(device.verify_token(code))


def _lock(user_id: int) -> None:
    """Lock the user's row, so that changes of one user's factor wait for each other."""
    User.objects.select_for_update().filter(pk=user_id).first()


def _new_codes(user_id: int) -> list[str]:
    StaticDevice.objects.filter(user_id=user_id).delete()
    device = StaticDevice.objects.create(user_id=user_id, name="backup")
    codes = {f"{secrets.randbelow(10**BACKUP_DIGITS):0{BACKUP_DIGITS}}" for _ in range(BACKUP_CODES * 2)}
    chosen = list(codes)[:BACKUP_CODES]
    StaticToken.objects.bulk_create(StaticToken(device=device, token=code) for code in chosen)
    return chosen
