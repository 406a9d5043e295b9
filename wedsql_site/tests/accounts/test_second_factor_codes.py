"""Each code is accepted once, and wrong ones are counted: of the app and of the backup codes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from wedsql_site.second_factor import devices
from wedsql_site.tests.accounts.log_in import (
    BOTH,
    CODE,
    LOGIN,
    PASSWORD,
    code,
    first_step,
    is_in,
    later,
    second_step,
    turn_on,
    wrong,
)


def test_a_code_counts_once(guarded: User) -> None:
    used = code(guarded)
    assert second_step(first_step(guarded), used).status_code == 302
    again = first_step(guarded)
    assert second_step(again, used).status_code == 200 and not is_in(again)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("backup", [False, True])
def test_a_code_counts_once_in_parallel(backup: bool, alice: User) -> None:
    codes = turn_on(alice)
    used = codes[0] if backup else code(alice)

    def attempt(_number: int) -> bool:
        try:
            return devices.verify(alice, used)
        except devices.MustWait:
            return False
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(attempt, range(8))) == 1


def test_a_backup_code_counts_once(alice: User) -> None:
    codes = turn_on(alice)
    assert len(set(codes)) == devices.BACKUP_CODES
    assert second_step(first_step(alice), codes[0]).status_code == 302
    again = first_step(alice)
    assert second_step(again, codes[0]).status_code == 200 and not is_in(again)
    later(alice)
    assert second_step(again, codes[1]).status_code == 302 and devices.codes_left(alice) == 8


def test_wrong_codes_lock_like_wrong_passwords(guarded: User) -> None:
    client, found = first_step(guarded), []
    for _number in range(BOTH):
        found.append(second_step(client, wrong(guarded)).status_code)
        later(guarded)
    assert found == [200] * (BOTH - 1) + [429]
    assert second_step(client, code(guarded)).status_code == 429 and not is_in(client)
    form = {"username": "alice", "password": PASSWORD}
    assert Client().post(LOGIN, form).status_code == 429


def test_the_right_password_in_between_forgets_no_wrong_code(guarded: User) -> None:
    for _number in range(BOTH - 1):
        second_step(first_step(guarded), wrong(guarded))
        later(guarded)
    assert second_step(first_step(guarded), wrong(guarded)).status_code == 429


def test_after_a_wrong_code_one_must_wait_from_any_address(guarded: User) -> None:
    client = first_step(guarded, REMOTE_ADDR="192.0.2.1")
    client.post(CODE, {"code": wrong(guarded)}, REMOTE_ADDR="192.0.2.1")
    TOTPDevice.objects.update(throttling_failure_count=10)
    other = first_step(guarded, REMOTE_ADDR="192.0.2.2")
    answer = other.post(CODE, {"code": code(guarded)}, REMOTE_ADDR="192.0.2.2")
    assert answer.status_code == 200 and "Wait" in answer.content.decode() and not is_in(other)
    assert AccessAttempt.objects.filter(ip_address="192.0.2.2").count() == 0, "it was not looked at"


def test_the_pause_after_wrong_codes_ends(guarded: User) -> None:
    """An attacker with the password cannot lock out the owner for days."""
    ago = timezone.now() - timedelta(minutes=5)
    TOTPDevice.objects.update(throttling_failure_count=40, throttling_failure_timestamp=ago)
    assert second_step(first_step(guarded), code(guarded)).status_code == 302


@pytest.mark.parametrize(
    "text", ["", " ", "abc", "\x00", "12345", "1" * 10, "-1", "1e3", "9" * 39, "\u0663" * 6]
)
def test_nonsense_is_a_wrong_code(text: str, guarded: User) -> None:
    client = first_step(guarded)
    assert second_step(client, text).status_code == 200 and not is_in(client)
