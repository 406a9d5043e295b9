"""A live connection ends with the log-in, the password and the rights with which it was opened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from monitor.tests.conftest import Parcels, client_of, person
from monitor.tests.server.live_browser import Browser, play
from pages.live import consumers


def _outside_of_the_loop(work: Callable[[], object]) -> None:
    work()
    connection.close()


def test_logging_out_ends_the_line_at_once(line: str, site: None, parcels: Parcels) -> None:
    client = client_of(person("eve", staff=True))

    async def story() -> None:
        browser = await Browser(client, "/ws/").opened()
        await asyncio.to_thread(_outside_of_the_loop, lambda: client.post("/accounts/logout/"))
        assert await browser.close_code() == consumers.SIGNED_OUT

    play(story)


def test_a_right_taken_away_ends_the_line_at_the_next_look(
    line: str, site: None, parcels: Parcels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "RECHECK_SECONDS", 0.1)
    user = person("fay", f"flow:{parcels.flow}")
    client = client_of(user)

    async def story() -> None:
        browser = await Browser(client, f"/ws/flows/{parcels.flow}/").opened()
        assert await browser.receive_nothing(0.3)
        await asyncio.to_thread(_outside_of_the_loop, user.groups.clear)
        assert await browser.close_code() == consumers.NOT_FOUND

    play(story)


def test_a_new_password_ends_the_lines_opened_with_the_old_one(
    line: str, site: None, parcels: Parcels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "RECHECK_SECONDS", 0.1)
    user = person("gus", f"flow:{parcels.flow}")
    client = client_of(user)

    def change_password() -> None:
        user.set_unusable_password()  # another random text each time, without slow hashing
        user.save()

    async def story() -> None:
        browser = await Browser(client, f"/ws/flows/{parcels.flow}/").opened()
        assert await browser.receive_nothing(0.3)
        await asyncio.to_thread(_outside_of_the_loop, change_password)
        assert await browser.close_code() == consumers.SIGNED_OUT
        again = Browser(client, f"/ws/flows/{parcels.flow}/")
        await again.connect(timeout=60)
        assert await again.close_code() == consumers.SIGNED_OUT

    play(story)


def test_a_new_secret_key_ends_no_line_while_the_old_one_is_named(
    line: str, alice: Client, settings: Any
) -> None:
    old, settings.SECRET_KEY = settings.SECRET_KEY, "a new key that is long enough for anything " * 2
    settings.SECRET_KEY_FALLBACKS = [old]

    async def story() -> None:
        browser = await Browser(alice, "/ws/").opened()
        await browser.disconnect()

    play(story)
    assert alice.get("/workers/").status_code == 200, "nor does a connection end the session"
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another key without the old one beside it " * 2, []

    async def refused() -> None:
        browser = Browser(alice, "/ws/")
        await browser.connect(timeout=60)
        assert await browser.close_code() == consumers.SIGNED_OUT

    play(refused)
