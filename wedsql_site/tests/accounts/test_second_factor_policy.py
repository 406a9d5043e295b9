"""Where a second factor is off, offered or required, and who may remove that of others."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django_otp.plugins.otp_totp.models import TOTPDevice

from monitor.api import tokens
from tests.addresses import all_addresses
from wedsql_site.second_factor import devices
from wedsql_site.tests.accounts.log_in import (
    LOGIN,
    OWN_SETUP,
    PASSWORD,
    SECURITY,
    SETUP,
    code,
    first_step,
    is_in,
    later,
    second_step,
    turn_on,
)


def manager(*more: str) -> User:
    user = User.objects.create_user("manager", password=PASSWORD, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=["view_user", *more]))
    return user


def take_away(client: Client, *users: User) -> Any:
    form = {"action": "remove_second_factor", "_selected_action": [user.pk for user in users]}
    return client.post(reverse("admin:auth_user_changelist"), form, follow=True)


def test_an_administrator_removes_it_and_it_is_logged(guarded: User) -> None:
    carol = User.objects.create_user("carol", password=PASSWORD)
    turn_on(carol)
    hers, client = Client(), Client()
    hers.force_login(carol)
    client.force_login(manager("change_user"))
    page = take_away(client, carol, guarded).content.decode()
    assert devices.factor_of(carol) is None and not is_in(hers) and is_in(first_step(carol))
    assert devices.factor_of(guarded) is not None, "a superuser's is out of a manager's reach"
    assert "The account alice has rights" in page
    entry = LogEntry.objects.get(object_id=carol.pk)
    assert entry.user.username == "manager" and "Second factor removed" in entry.change_message
    assert not LogEntry.objects.filter(object_id=guarded.pk).exists()


def test_removing_the_own_factor_needs_a_code(guarded: User) -> None:
    client = Client()
    client.force_login(guarded)
    take_away(client, guarded)
    assert devices.factor_of(guarded) is not None


def test_the_view_permission_does_not_allow_removal(guarded: User) -> None:
    carol = User.objects.create_user("carol", password=PASSWORD)
    turn_on(carol)
    client = Client()
    client.force_login(manager())
    assert "remove_second_factor" not in client.get(reverse("admin:auth_user_changelist")).content.decode()
    take_away(client, carol)
    assert devices.factor_of(carol) is not None


def test_the_admin_shows_no_keys(guarded: User) -> None:
    client = Client()
    client.force_login(guarded)
    assert not any("otp" in address for address in all_addresses())
    key = TOTPDevice.objects.get().key
    assert key not in client.get(reverse("admin:auth_user_change", args=[guarded.pk])).content.decode()


@pytest.mark.parametrize("role", ["wed_worker", "wed_reaper", "wed_monitor"])
def test_other_processes_read_no_keys(role: str, connect: Any) -> None:
    for table in ("otp_totp_totpdevice", "otp_static_statictoken"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connect(role).execute(f"select count(*) from wedsql.{table}")


def test_the_command_restores_access_after_a_lost_device(guarded: User, capsys: Any) -> None:
    session = Client()
    session.force_login(guarded)
    call_command("removefactor", "alice")
    assert "'alice' is removed" in capsys.readouterr().out
    assert is_in(first_step(guarded)) and not is_in(session)
    for name, reason in (("alice", "has no second factor"), ("bob", "no user")):
        with pytest.raises(CommandError, match=reason):
            call_command("removefactor", name)


def test_off_neither_requires_nor_offers_a_factor(guarded: User, settings: Any) -> None:
    settings.SECOND_FACTOR = "off"
    client = first_step(guarded)
    assert is_in(client) and "security" not in client.get("/workers/").content.decode()
    assert [client.get(address).status_code for address in (SECURITY, OWN_SETUP)] == [404, 404]
    settings.SECOND_FACTOR = "offered"
    assert not is_in(client), "what was made without the code ends when it is asked for again"


@pytest.mark.parametrize("setting", ["required", "required-staff"])
def test_required_leads_to_the_set_up_and_opens_nothing_before(
    setting: str, alice: User, settings: Any
) -> None:
    before = first_step(alice)
    assert is_in(before)
    settings.SECOND_FACTOR = setting
    assert not is_in(before)
    client = Client()
    answer = client.post(f"{LOGIN}?next=/workers/", {"username": "alice", "password": PASSWORD})
    assert answer["Location"].startswith(SETUP) and not is_in(client)
    assert "<svg" in client.get(answer["Location"]).content.decode() and not is_in(client)
    page = second_step(client, code(alice), answer["Location"]).content.decode()
    assert "Backup codes" in page and 'href="/workers/"' in page and is_in(client)
    later(alice)
    assert is_in(first_step(alice)) is False


def test_a_set_up_completes_the_log_in_of_its_own_person_alone(guarded: User, settings: Any) -> None:
    """A user with an account and the password of another user still needs that user's code."""
    settings.SECOND_FACTOR = "required"
    carol = User.objects.create_user("carol", password=PASSWORD)
    client = first_step(guarded, first_step(carol))
    assert second_step(client, code(carol), SETUP)["Location"] == LOGIN and not is_in(client)
    assert devices.factor_of(carol) is None


def test_required_of_staff_leaves_others_free(db: None, settings: Any) -> None:
    settings.SECOND_FACTOR = "required-staff"
    assert is_in(first_step(User.objects.create_user("carol", password=PASSWORD)))


def test_a_token_needs_no_factor_and_a_session_without_one_reads_nothing(db: None, settings: Any) -> None:
    """A token was made on the server, or in a session that had entered a code."""
    tina = User.objects.create_user("tina", password=PASSWORD, is_staff=True)
    _made, token = tokens.create(tina, "reports", 1)
    session = Client()
    session.force_login(tina)
    settings.SECOND_FACTOR = "required"
    headers = {"Authorization": f"Bearer {token}"}
    assert Client().get("/api/v1/me", headers=headers).status_code == 200
    assert session.get("/api/v1/me").status_code == 401
