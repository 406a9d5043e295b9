"""The page for one's own second factor: set it up, renew the backup codes, remove it."""

from __future__ import annotations

import re
from typing import Any

from axes.models import AccessAttempt
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import transaction
from django.test import Client
from django_otp.plugins.otp_totp.models import TOTPDevice

from tests.addresses import all_addresses
from wedsql_site.second_factor import devices
from wedsql_site.tests.accounts.log_in import (
    BOTH,
    OWN_SETUP,
    PASSWORD,
    SECURITY,
    code,
    code_of,
    first_step,
    is_in,
    later,
    second_step,
    turn_on,
    wrong,
)


def test_set_up_counts_from_the_first_right_code_on(alice: User) -> None:
    client = first_step(alice)
    assert client.post(SECURITY, {"password": PASSWORD})["Location"] == OWN_SETUP
    page = client.get(OWN_SETUP).content.decode()
    assert "<svg" in page and "style=" not in page
    assert not re.search(r"<script(?![^>]* src=)", page), "scripts are files, which are the same for all"
    assert devices.factor_of(alice) is None
    assert second_step(client, "000000", OWN_SETUP).status_code == 200 and devices.factor_of(alice) is None
    later(alice)
    page = second_step(client, code(alice), OWN_SETUP).content.decode()
    codes = re.findall(r"<code>(\d{5} \d{5})</code>", page)
    assert len(codes) == devices.BACKUP_CODES and is_in(client)
    assert second_step(first_step(alice), codes[3]).status_code == 302


def test_set_up_needs_the_password_and_the_session_that_began_it(alice: User) -> None:
    client = first_step(alice)
    assert client.post(SECURITY, {"password": "wrong"}).status_code == 200
    assert client.get(OWN_SETUP)["Location"] == SECURITY
    client.post(SECURITY, {"password": PASSWORD})
    other = first_step(alice)
    assert other.get(OWN_SETUP)["Location"] == SECURITY


def test_of_two_keys_that_wait_one_counts(alice: User) -> None:
    """Two sessions can begin at the same moment."""
    first, second = (TOTPDevice.objects.create(user=alice, confirmed=False) for _ in range(2))
    assert devices.confirm(first, code_of(first)) is not None
    assert devices.confirm(second, code_of(second)) is None
    assert devices.factor_of(alice) == first


def test_other_sessions_end_with_the_set_up(alice: User) -> None:
    client, other = first_step(alice), first_step(alice)
    assert is_in(other)
    client.post(SECURITY, {"password": PASSWORD})
    second_step(client, code(alice), OWN_SETUP)
    assert is_in(client) and not is_in(other)


def test_secrets_are_shown_once_and_written_nowhere_else(alice: User, caplog: Any) -> None:
    caplog.set_level("DEBUG")
    client = first_step(alice)
    client.post(SECURITY, {"password": PASSWORD})
    key = re.search(r'class="key">([A-Z2-7 ]+)<', client.get(OWN_SETUP).content.decode())
    assert key is not None
    second_step(client, "111111", OWN_SETUP)
    later(alice)
    used = code(alice)
    page = second_step(client, used, OWN_SETUP).content.decode()
    codes = re.findall(r"<code>(\d{5} \d{5})</code>", page)
    written = caplog.text + "".join(AccessAttempt.objects.values_list("post_data", flat=True))
    written += "".join(str(each.get_decoded()) for each in Session.objects.all())
    written += "".join(LogEntry.objects.values_list("change_message", flat=True))
    for address in all_addresses():
        if "logout" not in address and not address.endswith("/events"):  # a stream does not end
            before = transaction.savepoint()  # the kernel's error for what there is not aborts a transaction
            written += client.get(address).content.decode(errors="replace")
            transaction.savepoint_rollback(before)
    device = TOTPDevice.objects.get()
    secrets = [
        device.key,
        key[1],
        key[1].replace(" ", ""),
        used,
        *codes,
        *(c.replace(" ", "") for c in codes),
    ]
    assert [secret for secret in secrets if secret in written] == []


def test_removal_needs_password_and_code(guarded: User) -> None:
    client = first_step(guarded)
    second_step(client, code(guarded))
    other = Client()
    other.force_login(guarded)
    later(guarded)
    for password, text in (("wrong", code(guarded)), (PASSWORD, wrong(guarded)), (PASSWORD, "")):
        client.post(SECURITY, {"password": password, "code": text, "action": "remove"})
        later(guarded)
        assert devices.factor_of(guarded) is not None
    client.post(SECURITY, {"password": PASSWORD, "code": code(guarded), "action": "remove"})
    assert devices.factor_of(guarded) is None and devices.codes_left(guarded) == 0
    assert is_in(client) and not is_in(other)
    assert is_in(first_step(guarded))


def test_a_wrong_password_uses_up_no_code(guarded: User) -> None:
    client = Client()
    client.force_login(guarded)
    right = code(guarded)
    client.post(SECURITY, {"password": "wrong", "code": right, "action": "codes"})
    assert right not in AccessAttempt.objects.get().post_data
    client.post(SECURITY, {"password": PASSWORD, "code": right, "action": "remove"})
    assert devices.factor_of(guarded) is None


def test_wrong_passwords_on_the_page_lock_too(alice: User) -> None:
    client = Client()
    client.force_login(alice)
    found = [client.post(SECURITY, {"password": "wrong"}).status_code for _ in range(BOTH)]
    assert found == [200] * (BOTH - 1) + [429]
    assert client.post(SECURITY, {"password": PASSWORD}).status_code == 429


def test_new_backup_codes_replace_the_old(alice: User) -> None:
    old = turn_on(alice)
    client = Client()
    client.force_login(alice)
    page = client.post(SECURITY, {"password": PASSWORD, "code": code(alice), "action": "codes"})
    new = re.findall(r"<code>(\d{5}) (\d{5})</code>", page.content.decode())
    assert len(new) == devices.BACKUP_CODES
    assert second_step(first_step(alice), old[0]).status_code == 200
    later(alice)
    assert second_step(first_step(alice), "".join(new[0])).status_code == 302


def test_what_shows_a_secret_is_not_compressed(alice: User) -> None:
    """The length of a compressed page would confirm guesses in its URL of what it shows."""
    client = first_step(alice, Client(headers={"accept-encoding": "gzip"}))
    assert client.post(SECURITY, {"password": PASSWORD}).status_code == 302
    assert client.get(SECURITY)["Content-Encoding"] == "gzip"
    key, codes = client.get(OWN_SETUP), second_step(client, code(alice), OWN_SETUP)
    assert b"<svg" in key.content and b"<code>" in codes.content
    assert [page.get("Content-Encoding") for page in (key, codes)] == [None, None]
