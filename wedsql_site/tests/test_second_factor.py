"""The second factor: nothing is open before the code, a code counts once, few may remove it."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from axes.models import AccessAttempt
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import connections
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_otp.oath import TOTP
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from monitor import consumers
from monitor.tests.lines import Browser, play
from tests.addresses import all_addresses
from tests.flood import SOCKETS
from wedsql_site import attempts
from wedsql_site.second_factor import devices, pending

PASSWORD = "correct horse battery staple"
LOGIN, CODE, SETUP = "/accounts/login/", "/accounts/login/code/", "/accounts/login/setup/"
SECURITY, OWN_SETUP = "/accounts/security/", "/accounts/security/setup/"
BOTH = attempts.LIMITS["username", "ip_address"]
db = pytest.mark.django_db


@pytest.fixture(autouse=True)
def quick_passwords(settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_superuser("alice", password=PASSWORD)


@pytest.fixture
def guarded(alice: User) -> User:
    """alice with a second factor and backup codes."""
    turn_on(alice)
    return alice


def turn_on(user: User) -> list[str]:
    device = devices.begin(user)
    codes = devices.confirm(device, code_of(device))
    assert codes is not None
    later(user)
    return codes


def later(user: User) -> None:
    """As if the next code were shown already, and the pause after a wrong one were over."""
    TOTPDevice.objects.filter(user=user).update(last_t=-1, throttling_failure_count=0)
    StaticDevice.objects.filter(user=user).update(throttling_failure_count=0)


def code_of(device: TOTPDevice) -> str:
    totp = TOTP(device.bin_key)
    totp.time = time.time()
    return f"{totp.token():06}"


def code(user: User) -> str:
    return code_of(TOTPDevice.objects.get(user=user))


def wrong(user: User) -> str:
    """Six digits that are no code of now, before or after."""
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


def test_the_code_follows_the_password(guarded: User) -> None:
    client = Client()
    answer = client.post(f"{LOGIN}?next=/workers/", {"username": "alice", "password": PASSWORD})
    assert answer["Location"] == f"{CODE}?next=%2Fworkers%2F" and not is_in(client)
    answer = second_step(client, code(guarded), answer["Location"])
    assert answer["Location"] == "/workers/" and is_in(client)


def test_codes_may_be_typed_with_spaces_and_in_wide_digits(guarded: User) -> None:
    wide = "".join(chr(ord(digit) + 0xFEE0) for digit in code(guarded))
    assert second_step(first_step(guarded), f"{wide[:3]} {wide[3:]}").status_code == 302


@pytest.mark.parametrize("url", [LOGIN, "/admin/login/"])
def test_the_first_step_opens_no_address(url: str, guarded: User) -> None:
    half, nobody = first_step(guarded, url=url), Client()
    addresses = [a for a in all_addresses() if not a.startswith(LOGIN) and "logout" not in a]
    assert len(addresses) > 100
    for method in ("get", "post"):
        for address in addresses:
            mine, theirs = (getattr(client, method)(address) for client in (half, nobody))
            assert (mine.status_code, mine.get("Location")) == (theirs.status_code, theirs.get("Location"))
    assert second_step(half, code(guarded)).status_code == 302 and is_in(half)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", SOCKETS[:-1])
def test_the_first_step_opens_no_line(path: str, guarded: User) -> None:
    half = first_step(guarded)

    async def story() -> None:
        line = Browser(half, path)
        await line.connect(timeout=5)
        assert await line.close_code() == consumers.SIGNED_OUT

    play(story)


def test_the_first_step_lasts_five_minutes(guarded: User, monkeypatch: pytest.MonkeyPatch) -> None:
    client = first_step(guarded)
    monkeypatch.setattr(pending, "SECONDS", -1)
    assert second_step(client, code(guarded))["Location"] == LOGIN and not is_in(client)


@pytest.mark.parametrize("change", ["password", "is_active", "factor"])
def test_the_first_step_ends_with_what_it_rests_on(change: str, guarded: User) -> None:
    client = first_step(guarded)
    right = code(guarded)
    if change == "factor":
        devices.remove(guarded)
    elif change == "password":
        guarded.set_password("another")
    else:
        guarded.is_active = False
    guarded.save()
    assert second_step(client, right)["Location"] == LOGIN and not is_in(client)


def test_without_a_first_step_there_is_no_second(guarded: User) -> None:
    assert second_step(Client(), code(guarded))["Location"] == LOGIN
    assert Client().get(SETUP)["Location"] == LOGIN


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
    """Somebody who knows the password does not shut the owner out for days."""
    ago = timezone.now() - timedelta(minutes=5)
    TOTPDevice.objects.update(throttling_failure_count=40, throttling_failure_timestamp=ago)
    assert second_step(first_step(guarded), code(guarded)).status_code == 302


@pytest.mark.parametrize(
    "text", ["", " ", "abc", "\x00", "12345", "1" * 10, "-1", "1e3", "9" * 39, "\u0663" * 6]
)
def test_nonsense_is_a_wrong_code(text: str, guarded: User) -> None:
    client = first_step(guarded)
    assert second_step(client, text).status_code == 200 and not is_in(client)


def test_set_up_counts_from_the_first_right_code_on(alice: User) -> None:
    client = first_step(alice)
    assert client.post(SECURITY, {"password": PASSWORD})["Location"] == OWN_SETUP
    page = client.get(OWN_SETUP).content.decode()
    assert "<svg" in page and "style=" not in page and "<script" not in page
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
        written += client.get(address).content.decode(errors="replace") if "logout" not in address else ""
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
    assert "The account alice holds rights" in page
    entry = LogEntry.objects.get(object_id=carol.pk)
    assert entry.user.username == "manager" and "Second factor removed" in entry.change_message
    assert not LogEntry.objects.filter(object_id=guarded.pk).exists()


def test_nobody_takes_away_his_own_without_code(guarded: User) -> None:
    client = Client()
    client.force_login(guarded)
    take_away(client, guarded)
    assert devices.factor_of(guarded) is not None


def test_who_may_only_look_removes_nothing(guarded: User) -> None:
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


def test_the_command_line_brings_back_who_lost_everything(guarded: User, capsys: Any) -> None:
    session = Client()
    session.force_login(guarded)
    call_command("removefactor", "alice")
    assert "'alice' is removed" in capsys.readouterr().out
    assert is_in(first_step(guarded)) and not is_in(session)
    for name, reason in (("alice", "has no second factor"), ("bob", "no user")):
        with pytest.raises(CommandError, match=reason):
            call_command("removefactor", name)


def test_off_asks_nobody_and_offers_nothing(guarded: User, settings: Any) -> None:
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


def test_required_of_staff_leaves_others_free(db: None, settings: Any) -> None:
    settings.SECOND_FACTOR = "required-staff"
    assert is_in(first_step(User.objects.create_user("carol", password=PASSWORD)))


def test_the_password_may_be_changed_without_losing_the_session(guarded: User) -> None:
    client = Client()
    client.force_login(guarded)
    new = "another horse battery staple"
    form = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert client.post("/accounts/password/", form).status_code == 302 and is_in(client)
    form = {"password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}
    url = reverse("admin:auth_user_password_change", args=[guarded.pk])
    assert client.post(url, form).status_code == 302 and is_in(client)
