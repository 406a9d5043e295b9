"""Headers of every page, caching, and access to Django-Q's pages."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse
from django_q.models import Schedule

from flows.models import Flow
from wedsql_site.tests.accounts.log_in import PASSWORD
from wedsql_site.web.middleware import Compression

pytestmark = pytest.mark.django_db
# The form of a Schedule; its function is one that only a superuser may name.
SCHEDULE = {
    "func": "os.system",
    "args": "'true'",
    "schedule_type": "O",
    "repeats": "-1",
    "next_run_0": "2030-01-01",
    "next_run_1": "00:00:00",
}


@pytest.fixture
def mallory() -> User:
    """Staff, with every permission on Django-Q's models that the admin can grant."""
    user = User.objects.create_user("mallory", password=PASSWORD, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(content_type__app_label="django_q"))
    return user


@pytest.mark.parametrize("path", ["/accounts/login/", "/admin/login/", "/no-such-page/"])
def test_every_page_sends_the_policy(client: Client, path: str) -> None:
    policy = client.get(path).headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/password/", "/admin/"])
def test_pages_obey_the_policy(client: Client, alice: User, path: str) -> None:
    if path != "/accounts/login/":
        client.force_login(alice)
    page = client.get(path).content.decode()
    assert "<style" not in page and " style=" not in page and " onclick=" not in page
    assert all(" src=" in tag.split(">")[0] for tag in page.split("<script")[1:])


def test_the_admin_leads_to_the_live_pages_and_the_pages_to_the_design(client: Client, alice: User) -> None:
    client.force_login(alice)
    with connection.cursor() as cursor:
        cursor.execute("select wedsql.create_flow('seen_from_admin')")
    flow = Flow.objects.get(name="seen_from_admin")
    address = reverse("admin:flows_flow_change", args=[flow.pk])
    assert 'href="/flows/seen_from_admin/"' in client.get(address).content.decode()
    flows = reverse("admin:flows_flow_changelist")
    assert f'href="{flows}"' in client.get("/workers/").content.decode()
    bob = User.objects.create_user("bob", is_staff=True)  # staff without permissions
    client.force_login(bob)
    assert f'href="{flows}"' not in client.get("/workers/").content.decode()


def test_queue_pages_are_closed_to_staff(client: Client, mallory: User) -> None:
    client.force_login(mallory)
    names = [model._meta.model_name for model in admin.site._registry if model._meta.app_label == "django_q"]
    assert {"schedule", "success", "failure"} <= set(names)
    for name in names:
        assert client.get(reverse(f"admin:django_q_{name}_changelist")).status_code == 403
    assert "django_q" not in client.get("/admin/").content.decode()


@pytest.mark.parametrize("name", ["mallory", "alice"])
def test_no_user_can_schedule_a_function(client: Client, mallory: User, alice: User, name: str) -> None:
    client.force_login(User.objects.get(username=name))
    assert client.post(reverse("admin:django_q_schedule_add"), SCHEDULE).status_code == 403
    assert not Schedule.objects.exists()


def test_staff_cannot_change_or_delete_a_schedule(client: Client, mallory: User) -> None:
    mine = Schedule.objects.create(func="math.sqrt", args="4", next_run=datetime(2030, 1, 1, tzinfo=UTC))
    client.force_login(mallory)
    for page in ("change", "delete"):
        url = reverse(f"admin:django_q_schedule_{page}", args=[mine.pk])
        assert client.post(url, {**SCHEDULE, "post": "yes"}).status_code == 403
    mine.refresh_from_db()
    assert mine.func == "math.sqrt"


def test_a_superuser_sees_the_queue_pages(client: Client, alice: User) -> None:
    client.force_login(alice)
    assert client.get(reverse("admin:django_q_schedule_changelist")).status_code == 200


def test_the_log_in_page_is_in_portuguese(client: Client) -> None:
    page = client.get("/accounts/login/", headers={"accept-language": "pt-br"}).content.decode()
    assert '<html lang="pt-br"' in page


def test_the_language_can_be_chosen(client: Client) -> None:
    client.post(reverse("set_language"), {"language": "pt-br", "next": "/accounts/login/"})
    assert '<html lang="pt-br"' in client.get("/accounts/login/").content.decode()


def test_a_log_in_leads_to_the_requested_page(client: Client, alice: User) -> None:
    form = {"username": "alice", "password": PASSWORD, "next": "/admin/"}
    answer = client.post("/accounts/login/", form)
    assert answer.headers["Location"] == "/admin/"


@pytest.mark.parametrize(
    "path", ["/", "/accounts/login/", "/admin/", "/workers/", "/healthz", "/metrics", "/no/"]
)
def test_no_page_may_be_kept(path: str, client: Client, alice: User) -> None:
    client.force_login(alice)
    assert "no-store" in client.get(path)["Cache-Control"]


def test_pages_are_compressed(client: Client) -> None:
    answer = client.get("/accounts/login/", headers={"accept-encoding": "gzip"})
    assert answer["Content-Encoding"] == "gzip" and b"<form" in gzip.decompress(answer.content)


def test_the_length_of_a_compressed_page_varies(rf: RequestFactory) -> None:
    """The same page has another length each time, so comparing lengths reveals no secret."""
    compressed = Compression(lambda _request: HttpResponse(b"the same page " * 200))
    request = rf.get("/", headers={"accept-encoding": "gzip"})
    assert len({len(compressed(request).content) for _ in range(50)}) > 10


def test_a_file_that_is_sent_in_pieces_is_whole_for_a_browser(rf: RequestFactory) -> None:
    """A browser ends a compressed file where its first part ends."""

    async def pieces() -> AsyncIterator[bytes]:
        for n in range(3):
            yield b"%d\n" % n * 300

    async def read(answer: Any) -> bytes:
        return b"".join([each async for each in answer])

    compressed = Compression(lambda _request: StreamingHttpResponse(pieces()))
    answer = compressed(rf.get("/", headers={"accept-encoding": "gzip"}))
    found = asyncio.run(read(answer))
    if answer.has_header("Content-Encoding"):
        found = zlib.decompressobj(wbits=31).decompress(found)
    assert len(found.splitlines()) == 900


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_probes_are_answered_under_any_name_and_without_tls(path: str, client: Client, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["wed.example.org"]
    settings.SECURE_SSL_REDIRECT = True
    probe = Client()
    assert probe.get(path, headers={"host": "127.0.0.1:8000"}).status_code == 200
    assert probe.get("/accounts/login/", headers={"host": "127.0.0.1:8000"}).status_code in (301, 400)
    assert probe.get("/accounts/login/", headers={"host": "wed.example.org"}).status_code == 301


def test_a_session_survives_a_new_key_while_the_old_one_is_named(
    client: Client, alice: User, settings: Any
) -> None:
    client.force_login(alice)
    settings.SECRET_KEY, old = "a new key that is long enough for anything " * 2, settings.SECRET_KEY
    settings.SECRET_KEY_FALLBACKS = [old]
    assert client.get("/workers/").status_code == 200
    settings.SECRET_KEY_FALLBACKS = []
    assert client.get("/workers/").status_code == 200, "its hash was renewed when the old key was still named"
    other = Client()
    settings.SECRET_KEY = old
    other.force_login(alice)
    settings.SECRET_KEY = "another key without the old one beside it " * 2
    assert other.get("/workers/").status_code == 302
