"""The log-in with a second factor: no page is accessible before the code was entered."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from monitor.tests.server.live_browser import Browser, play
from pages.live import consumers
from tests.addresses import all_addresses
from tests.http_load import SOCKETS
from wedsql_site.second_factor import devices, login_state
from wedsql_site.tests.accounts.log_in import (
    CODE,
    LOGIN,
    PASSWORD,
    SETUP,
    code,
    first_step,
    is_in,
    second_step,
)


def test_the_code_follows_the_password(guarded: User) -> None:
    client = Client()
    answer = client.post(f"{LOGIN}?next=/workers/", {"username": "alice", "password": PASSWORD})
    assert answer["Location"] == f"{CODE}?next=%2Fworkers%2F" and not is_in(client)
    answer = second_step(client, code(guarded), answer["Location"])
    assert answer["Location"] == "/workers/" and is_in(client)
    assert client.get(CODE)["Location"] == LOGIN, "the first step is over"


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
        await line.connect(timeout=60)
        assert await line.close_code() == consumers.SIGNED_OUT

    play(story)


def test_the_first_step_lasts_five_minutes(guarded: User, monkeypatch: pytest.MonkeyPatch) -> None:
    client = first_step(guarded)
    monkeypatch.setattr(login_state, "SECONDS", -1)
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


def test_the_first_step_leaves_a_session_that_others_know(guarded: User) -> None:
    client = Client()
    client.session.save()
    known = client.cookies["sessionid"].value
    first_step(guarded, client)
    assert client.cookies["sessionid"].value != known and not client.session.exists(known)


def test_without_a_first_step_there_is_no_second(guarded: User) -> None:
    assert second_step(Client(), code(guarded))["Location"] == LOGIN
    assert Client().get(SETUP)["Location"] == LOGIN


def test_the_password_may_be_changed_without_losing_the_session(guarded: User) -> None:
    client = Client()
    client.force_login(guarded)
    new = "another horse battery staple"
    form = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert client.post("/accounts/password/", form).status_code == 302 and is_in(client)
    form = {"password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}
    url = reverse("admin:auth_user_password_change", args=[guarded.pk])
    assert client.post(url, form).status_code == 302 and is_in(client)
