"""Limits of password attempts: by name, by address, by both, in any spelling, in parallel."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.auth.models import User
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from testkit.web import WebServer
from tests.http_load import in_parallel, request_text
from wedsql_site import environment
from wedsql_site.tests.accounts.log_in import PASSWORD
from wedsql_site.web import attempts
from wedsql_site.web.client_address import client_address

WRONG, NEARLY = "wrong", PASSWORD + "r"
HERE, THERE = "192.0.2.1", "192.0.2.2"
BOTH, ADDRESS, NAME = attempts.LIMITS.values()
URLS = ["/accounts/login/", "/admin/login/"]


def log_in(name: str, password: str = WRONG, address: str = HERE, url: str = URLS[0], **extra: Any) -> int:
    form = {"username": name, "password": password}
    return Client().post(url, form, REMOTE_ADDR=address, **extra).status_code


@pytest.mark.parametrize("url", URLS)
def test_after_too_many_failures_the_right_password_is_rejected(alice: User, url: str) -> None:
    assert [log_in("alice", url=url) for _ in range(BOTH)] == [200] * (BOTH - 1) + [429]
    form = {"username": "alice", "password": PASSWORD}
    answer = Client().post(url, form, REMOTE_ADDR=HERE)
    assert answer.status_code == 429 and answer["Retry-After"] == "300"
    assert "Too many wrong passwords" in answer.content.decode()
    assert log_in("alice", PASSWORD, THERE, url) == 302


def test_spellings_that_are_one_name_count_as_one(alice: User) -> None:
    spellings = ["alice", "ALICE", "\uff41lice", "\U0001d41alice", "alice ", "\u24d0lice"]
    assert [log_in(name) for name in spellings[:BOTH]].count(429) == 1
    assert {log_in(name) for name in spellings} == {429}


def test_the_counted_name_is_normalised_where_no_form_has_done_it(rf: RequestFactory) -> None:
    for spelling in ("ALICE", "\uff41lice", " alice ", "al\x00ice", "\U0001d41alice"):
        assert attempts.counted_name(rf.post("/", {"username": spelling})) == "alice"
    odd = attempts.counted_name(rf.post("/"), {"username": "al\ud800ice"})
    assert odd.encode().decode() == odd, "it can be written into the database"


def test_clients_without_an_address_are_counted_together(alice: User) -> None:
    assert [log_in("alice", address="") for _ in range(BOTH)] == [200] * (BOTH - 1) + [429]
    assert log_in("alice", PASSWORD, "") == 429 and log_in("alice", PASSWORD) == 302


def test_other_names_do_not_raise_the_limit(alice: User) -> None:
    for _ in range(BOTH):
        log_in("alice")
    for number in range(ADDRESS):
        log_in(f"nobody{number}", address=THERE)
    assert log_in("alice", PASSWORD) == 429


def test_an_address_is_limited_over_all_names(alice: User) -> None:
    found = [log_in(f"nobody{number}") for number in range(ADDRESS + 5)]
    assert found[: ADDRESS - 1] == [200] * (ADDRESS - 1) and set(found[ADDRESS:]) == {429}
    assert log_in("alice", PASSWORD) == 429 and log_in("alice", PASSWORD, THERE) == 302


def test_a_name_is_limited_over_all_addresses(alice: User) -> None:
    for number in range(NAME):
        log_in("alice", address=f"198.51.100.{number}")
    assert log_in("alice", PASSWORD, "203.0.113.9") == 429


def test_the_browser_s_name_opens_no_new_count(alice: User) -> None:
    found = [log_in("alice", headers={"user-agent": f"browser {number}"}) for number in range(BOTH + 2)]
    assert found[BOTH:] == [429, 429]


def test_a_success_forgets_the_failures_of_its_own_name_alone(alice: User) -> None:
    for number in range(ADDRESS - 1):
        log_in(f"nobody{number}")
    assert log_in("alice", PASSWORD) == 302
    assert log_in("somebody") == 429, "the failures of the address are remembered"


def test_a_success_forgets_the_failures_before_it(alice: User) -> None:
    for _ in range(2):
        assert [log_in("alice") for _ in range(BOTH - 1)] == [200] * (BOTH - 1)
        assert log_in("alice", PASSWORD) == 302


def test_time_opens_again_and_attempts_under_the_lock_do_not_lengthen_it(alice: User) -> None:
    for _ in range(BOTH * 2):
        log_in("alice")
    assert AccessAttempt.objects.get().failures_since_start == BOTH
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=6))
    assert log_in("alice", PASSWORD) == 302


@pytest.mark.parametrize("url", ["/accounts/password/", "/admin/password_change/"])
def test_wrong_old_passwords_are_limited(alice: User, url: str) -> None:
    client = Client()
    client.force_login(alice)
    new = {"new_password1": "a new password for all", "new_password2": "a new password for all"}
    target = client.get(url, follow=True).request["PATH_INFO"]
    found = [
        client.post(target, {"old_password": NEARLY, **new}, REMOTE_ADDR=HERE).status_code
        for _ in range(BOTH)
    ]
    assert found == [200] * (BOTH - 1) + [429]
    assert client.post(target, {"old_password": PASSWORD, **new}, REMOTE_ADDR=HERE).status_code == 429
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)
    written = "".join(AccessAttempt.objects.values_list("post_data", flat=True))
    assert new["new_password1"] not in written and NEARLY not in written


def test_log_ins_and_their_addresses_are_recorded(alice: User) -> None:
    log_in("alice")
    log_in("alice", PASSWORD, THERE)
    client = Client()
    client.force_login(alice)
    for model, address in ((AccessFailureLog, HERE), (AccessLog, THERE)):
        assert model.objects.filter(username="alice", ip_address=address).count() == 1
        page = client.get(reverse(f"admin:axes_{model._meta.model_name}_changelist")).content.decode()
        assert address in page and "alice" in page
    bob = Client()
    bob.force_login(User.objects.create_user("bob", is_staff=True))
    assert bob.get(reverse("admin:axes_accesslog_changelist")).status_code == 403


@pytest.mark.parametrize(
    ("trusted", "forwarded", "found"),
    [
        (0, "8.8.8.8", "10.0.0.1"),
        (1, "8.8.8.8", "8.8.8.8"),
        (1, "1.1.1.1, 8.8.8.8", "8.8.8.8"),
        (2, "1.1.1.1, 8.8.8.8, 10.0.0.2", "8.8.8.8"),
        (2, "8.8.8.8", "10.0.0.1"),
        (1, "", "10.0.0.1"),
        (1, "nonsense", "10.0.0.1"),
        (1, "1.1.1.1, 8.8.8.8:4711", "8.8.8.8"),
        (1, "[2001:db8::1]:4711", "2001:db8::1"),
        (1, "::ffff:8.8.8.8", "8.8.8.8"),
        (("10.0.0.0/8",), "1.1.1.1, 8.8.8.8, 10.0.0.2", "8.8.8.8"),
        (("10.0.0.0/8",), "10.9.9.9, 10.0.0.2", "10.9.9.9"),
        (("10.0.0.0/8",), "8.8.8.8, nonsense", "10.0.0.1"),
        (("192.0.2.0/24",), "8.8.8.8", "10.0.0.1"),
    ],
)
def test_only_what_trusted_proxies_wrote_counts(
    trusted: Any, forwarded: str, found: str, rf: RequestFactory, settings: Any
) -> None:
    settings.WEDSQL_TRUSTED_PROXIES = trusted
    request = rf.get("/", REMOTE_ADDR="10.0.0.1", headers={"x-forwarded-for": forwarded})
    assert client_address(request) == found


@pytest.mark.parametrize(
    ("value", "found"),
    [("", 1), ("0", 0), ("2", 2), ("10.0.0.0/8 192.0.2.1", ("10.0.0.0/8", "192.0.2.1/32"))],
)
def test_trusted_proxies_are_a_number_or_networks(
    value: str, found: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEDSQL_TRUSTED_PROXIES", value)
    assert environment.proxies("WEDSQL_TRUSTED_PROXIES", default=1) == found


@pytest.mark.parametrize("value", ["many", "-1", "10.0.0.0/99", "proxy.example"])
def test_other_values_are_rejected(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEDSQL_TRUSTED_PROXIES", value)
    with pytest.raises(environment.BadEnvironment):
        environment.proxies("WEDSQL_TRUSTED_PROXIES", default=1)


@pytest.fixture
def web(dsn: str, django_db_blocker: Any) -> Iterator[WebServer]:
    behind_proxy = {"WEDSQL_BEHIND_PROXY": "1", "WEDSQL_ALLOWED_HOSTS": "127.0.0.1"}
    with WebServer.on(dsn, **behind_proxy) as server:
        yield server
    with django_db_blocker.unblock():
        AccessAttempt.objects.all().delete()
        AccessFailureLog.objects.all().delete()


def test_parallel_attempts_with_forged_addresses_pass_no_limit(
    web: WebServer, django_db_blocker: Any
) -> None:
    """Each request has another forged address before the one that the proxy added."""
    token = "c" * 32
    body = f"csrfmiddlewaretoken={token}&username=victim&password=wrong"
    headers = [
        f"X-Forwarded-For: 198.51.100.{n}, 203.0.113.7\r\nCookie: csrftoken={token}\r\n" for n in range(40)
    ]
    posts = [request_text("/accounts/login/", "POST", each, body) for each in headers]
    found = in_parallel(web.port, posts)
    assert sorted(found) == [200] * (BOTH - 1) + [429] * (40 - BOTH + 1)
    with django_db_blocker.unblock():
        assert {each.ip_address for each in AccessFailureLog.objects.filter(username="victim")} == {
            "203.0.113.7"
        }
