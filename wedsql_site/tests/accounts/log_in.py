"""The steps of a log-in: give the password, read a code of the app, enter it."""

from __future__ import annotations

import time
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django_otp.oath import TOTP
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from wedsql_site.second_factor import devices
from wedsql_site.web import attempts

PASSWORD = "correct horse battery staple"
LOGIN, CODE, SETUP = "/accounts/login/", "/accounts/login/code/", "/accounts/login/setup/"
SECURITY, OWN_SETUP = "/accounts/security/", "/accounts/security/setup/"
BOTH = attempts.LIMITS["username", "ip_address"]


def turn_on(user: User) -> list[str]:
    device = devices.begin(user)
    codes = devices.confirm(device, code_of(device))
    assert codes is not None
    later(user)
    return codes


def later(user: User) -> None:
    """Act as if the next code were shown already, and the waiting time after a wrong one were over."""
    TOTPDevice.objects.filter(user=user).update(last_t=-1, throttling_failure_count=0)
    StaticDevice.objects.filter(user=user).update(throttling_failure_count=0)


def code_of(device: TOTPDevice) -> str:
    totp = TOTP(device.bin_key)
    totp.time = time.time()
    return f"{totp.token():06}"


def code(user: User) -> str:
    return code_of(TOTPDevice.objects.get(user=user))


def wrong(user: User) -> str:
    """Return six digits that are not the current code, nor the one before or after."""
    return f"{(int(code(user)) + 500_000) % 1_000_000:06}"


def first_step(user: User, client: Client | None = None, url: str = LOGIN, **extra: Any) -> Client:
    client = client or Client()
    answer = client.post(url, {"username": user.username, "password": PASSWORD}, **extra)
    assert answer.status_code == 302, answer.content
    return client


def second_step(client: Client, text: str, url: str = CODE) -> Any:
    return client.post(url, {"code": text})


def is_in(client: Client) -> bool:
    return client.get("/workers/").status_code == 200
