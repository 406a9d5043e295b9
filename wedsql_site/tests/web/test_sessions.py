"""Sessions: what one holds is read with each request, until it expires."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from wedsql_site.web.sessions import SessionStore

pytestmark = pytest.mark.django_db


def saved(**data: object) -> str:
    store = SessionStore()
    store.update(data)
    store.save()
    return str(store.session_key)


def test_a_session_keeps_what_it_was_given() -> None:
    store = SessionStore(saved(a="ç<", n=7))
    assert dict(store.items()) == {"a": "ç<", "n": 7}
    store["n"] = 8
    store.save()
    assert SessionStore(store.session_key)["n"] == 8


def test_an_expired_session_is_empty_and_its_key_is_not_used_again() -> None:
    key = saved(a=1)
    Session.objects.filter(pk=key).update(expire_date=timezone.now() - timedelta(seconds=1))
    store = SessionStore(key)
    assert list(store.keys()) == [] and store.session_key is None
    store["b"] = 2
    store.save()
    assert store.session_key != key


def test_a_user_with_an_expired_session_is_asked_to_log_in(client: Client) -> None:
    client.force_login(User.objects.create_user("lapsing", is_staff=True))
    assert client.get("/cases/").status_code == 200
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert client.get("/cases/").status_code == 302
