"""Liveness, readiness, metrics; and pages that say so when the database is unavailable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
import pytest
from django.db import (
    DatabaseError,
    DataError,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    connection,
)
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from flows import api as kernel
from flows.database_errors import REPLACED_STATES, error_for
from flows.errors import DatabaseGone
from monitor import labels
from monitor.api import problems
from monitor.metrics import exposition
from monitor.tests.conftest import Parcels, numbers_of, text_of
from monitor.views import probes
from pages import error_pages, guard, sqlstates
from pages.live import listener

Connection = psycopg.Connection[Any]


@pytest.fixture(autouse=True)
def own_listeners(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count no listener that a test of live connections left with a closed loop in this process."""
    monkeypatch.setattr(listener, "_listeners", WeakKeyDictionary())


@pytest.fixture
def gone(site: None) -> Iterator[None]:
    """Make the server unreachable."""
    connection.close()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("HOST", "/nowhere"), ("PORT", "1")):
            patch.setitem(connection.settings_dict, name, value)
        yield


def test_alive_and_ready(site: None, client: Client) -> None:
    assert client.get("/healthz").content == b"ok\n"
    ready = client.get("/readyz")
    works = dict.fromkeys(("database", "kernel", "commit", "standby", "listener"), True)
    assert ready.status_code == 200 and ready.json() == works


@pytest.mark.parametrize("setting", ["temp_file_limit = '8kB'", "default_transaction_read_only = on"])
def test_not_ready_while_no_change_can_be_committed(setting: str, site: None, client: Client) -> None:
    """The one ends what needs the disk, as a full one does (class 53); the other is a standby's (25006)."""
    with connection.cursor() as cursor:
        cursor.execute(f"set {setting}")
    ready = client.get("/readyz")
    with connection.cursor() as cursor:
        cursor.execute(f"reset {setting.split()[0]}")
    assert ready.status_code == 503 and ready.json()["database"] and not ready.json()["commit"]


def test_alive_but_not_ready_without_database(gone: None, client: Client) -> None:
    assert client.get("/healthz").status_code == 200
    ready = client.get("/readyz")
    assert ready.status_code == 503 and ready.json()["database"] is False
    assert client.get("/metrics").status_code == 503


@pytest.mark.parametrize("path", ["/", "/flows/x/", "/instances/1/", "/workers/", "/live/flows/"])
def test_pages_without_database_show_an_error_page(path: str, gone: None, client: Client) -> None:
    client.cookies["sessionid"] = "a" * 32
    response = client.get(path)
    assert response.status_code == 503 and response["Retry-After"] == "5"
    assert b"The database is not available" in response.content and b"<nav" not in response.content


@pytest.mark.parametrize("path", ["/nothing/", "/flows/", "/static/nothing.css", "/instances/x/"])
def test_an_unknown_address_needs_no_database(path: str, gone: None, client: Client) -> None:
    client.cookies["sessionid"] = "a" * 32
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("name", ["bad_request", "forbidden", "not_found", "csrf_failure"])
def test_error_pages_read_neither_session_nor_user(name: str, gone: None, rf: RequestFactory) -> None:
    """The request has neither, so reading one of them fails."""
    page = getattr(error_pages, name)(rf.get("/"), Http404())
    assert page.status_code in (400, 403, 404) and b"All flows" in page.content


def test_an_address_that_only_receives_forms_says_so(admin_client: Client) -> None:
    response = admin_client.get("/cases/1/repair/")
    assert response.status_code == 405 and response["Allow"] == "POST"
    assert b"Nothing was changed" in response.content


def test_after_a_log_in_the_page_of_a_lost_form_opens(client: Client) -> None:
    before = {"HTTP_REFERER": "http://testserver/instances/1/?case=1"}
    assert client.post("/cases/1/repair/", **before)["Location"].endswith("?next=/instances/1/%3Fcase%3D1")
    elsewhere = {"HTTP_REFERER": "http://elsewhere.example/instances/1/"}
    assert client.post("/cases/1/repair/", **elsewhere)["Location"].endswith("?next=/cases/1/repair/")


def test_any_page_without_database_is_503_and_a_fault_is_500(rf: RequestFactory) -> None:
    try:
        raise OperationalError("gone")
    except OperationalError:
        assert error_pages.server_error(rf.get("/")).status_code == 503
    try:
        raise ZeroDivisionError
    except ZeroDivisionError:
        page = error_pages.server_error(rf.get("/"))
    assert page.status_code == 500 and b"An error occurred" in page.content


def raised(family: str, code: str) -> Exception:
    """Return an error of PostgreSQL as Django raises it, or as flows.api does."""
    message = 'relation "orders.wed_flow" does not exist' if code == "42P01" else "a message"
    cause = psycopg.errors.lookup(code)(message)
    if family == "flows":
        return error_for(code, message)
    wrapped = next(each for each in (DataError, IntegrityError, InternalError, ProgrammingError,
                                     NotSupportedError, OperationalError, InterfaceError, DatabaseError)
                   if isinstance(cause, getattr(psycopg, each.__name__)))("a message")  # fmt: skip
    wrapped.__cause__ = cause
    return wrapped


class Reader:
    """A user who has logged in."""

    is_authenticated = True


# Every code that PostgreSQL has, as the driver lists them, of every class.
CODES = sorted({
    each.sqlstate for each in vars(psycopg.errors).values()
    if isinstance(each, type) and issubclass(each, psycopg.Error) and each.sqlstate
})  # fmt: skip


@pytest.mark.parametrize("code", CODES)
def test_an_error_has_one_status_on_pages_and_in_the_api(code: str, rf: RequestFactory) -> None:
    """In both families of errors; what only a defect can cause is raised, for the log."""
    found = set()
    for family in ("django", "flows"):

        def view(_request: HttpRequest, family: str = family) -> HttpResponse:
            raise raised(family, code)

        request = rf.get("/")
        request.user = Reader()  # type: ignore[assignment]
        api = problems._database_error if family == "django" else problems._refused
        for answer in (guard.page(view), lambda request: api(request, raised(family, code))):  # noqa: B023
            try:
                found.add(answer(request).status_code)
            except Http404:
                found.add(404)
            except Exception as error:  # noqa: BLE001 - a defect
                assert getattr(error, "code", code) == code
                found.add(500)
    # The flow was dropped, or its definition replaced, while the request ran.
    redesigned = code in guard.REDESIGNED or code in REPLACED_STATES
    assert found <= {404, 503} if redesigned else found == {sqlstates.http_status(code)}


def test_a_page_whose_operation_meets_a_lost_connection_is_503(gone: None, rf: RequestFactory) -> None:
    request = rf.get("/")
    request.user = Reader()  # type: ignore[assignment]
    with pytest.raises(DatabaseGone):
        kernel.cases.list([])
    response = guard.page(lambda _request: kernel.cases.list([]))(request)  # type: ignore[arg-type, return-value]
    assert response.status_code == 503 and b"The database is not available" in response.content


def test_an_error_page_sends_no_form_and_keeps_the_theme(rf: RequestFactory) -> None:
    request = rf.get("/")
    request.COOKIES["theme"] = "dark"
    for page in (
        error_pages.slow(request),
        error_pages.unavailable(request),
        error_pages.server_error(request),
    ):
        sent = page.content.replace(b'<form method="dialog">', b"")
        assert b"<form" not in sent and b'data-theme="dark"' in page.content


def test_a_form_without_its_token_gets_the_site_s_page() -> None:
    answer = Client(enforce_csrf_checks=True).post("/theme/", {"theme": "dark"})
    assert answer.status_code == 403 and b"the form has expired" in answer.content


def numbers(client: Client) -> dict[str, float]:
    response = client.get("/metrics")
    assert response.status_code == 200 and response["Content-Type"].startswith("text/plain; version=0.0.4")
    return numbers_of(response.content.decode())


def test_metrics_count_what_there_is(site: None, client: Client, parcels: Parcels) -> None:
    for _ in range(3):
        parcels.start()
    parcels.make_exception(parcels.start())
    parcels.connection.execute(
        "select count(*) from wedsql.lease(%s, '{tr_label}', 1, 'bob')", [parcels.flow]
    )
    found, flow = numbers(client), f'flow="{parcels.flow}"'
    assert found[f'wedsql_instances{{{flow},status="R"}}'] == 3
    assert found[f'wedsql_instances{{{flow},status="F"}}'] == 0
    assert found[f"wedsql_exceptions{{{flow}}}"] == 1
    assert found[f"wedsql_exception_oldest_seconds{{{flow}}}"] >= 0
    assert found[f'wedsql_jobs_pending{{{flow},transition="tr_label"}}'] == 2
    assert found[f'wedsql_jobs_leased{{{flow},transition="tr_label"}}'] == 1
    assert found[f'wedsql_jobs_pending{{{flow},transition="tr_pack"}}'] == 3
    assert found[f'wedsql_queue_age_seconds{{{flow},transition="tr_pack"}}'] > 0
    assert found[f'wedsql_queue_age_seconds{{{flow},transition="tr_send"}}'] == 0
    assert found["wedsql_listener_lag_seconds"] == 0


@pytest.mark.parametrize(
    ("address", "headers", "allowed"),
    [
        ("127.0.0.1", {}, True),
        ("::1", {}, True),
        ("10.1.2.3", {}, False),
        ("", {}, False),
        ("not an address", {}, False),
        ("127.0.0.1", {"X-Forwarded-For": "8.8.8.8"}, False),
        ("127.0.0.1", {"Forwarded": "for=8.8.8.8"}, False),
        ("10.1.2.3", {"Authorization": "Bearer right"}, True),
        ("127.0.0.1", {"X-Forwarded-For": "8.8.8.8", "Authorization": "bearer right"}, True),
        ("10.1.2.3", {"Authorization": "Bearer wrong"}, False),
        ("10.1.2.3", {"Authorization": "Bearer "}, False),
        ("10.1.2.3", {"Authorization": "Bearer \u00e9"}, False),
        ("10.1.2.3", {"Authorization": "Basic right"}, False),
    ],
)
def test_who_may_scrape(
    address: str, headers: dict[str, str], allowed: bool, rf: RequestFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEDSQL_METRICS_TOKEN", "right")
    monkeypatch.delenv("WEDSQL_METRICS_ALLOW", raising=False)
    assert probes.may_scrape(rf.get("/metrics", headers=headers, REMOTE_ADDR=address)) is allowed


def test_without_a_token_an_empty_one_opens_nothing(
    rf: RequestFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WEDSQL_METRICS_TOKEN", raising=False)
    monkeypatch.setenv("WEDSQL_METRICS_ALLOW", "10.0.0.0/8")
    request = {"headers": {"Authorization": "Bearer "}}
    assert not probes.may_scrape(rf.get("/metrics", REMOTE_ADDR="127.0.0.1", **request))
    assert probes.may_scrape(rf.get("/metrics", REMOTE_ADDR="10.9.9.9", **request))


def test_labels_are_escaped() -> None:
    text = exposition.family("x", "help", [({"flow": 'a"b\\c\nd'}, 1.5)])
    assert text.splitlines()[-1] == 'x{flow="a\\"b\\\\c\\nd"} 1.5'


def report(conn: Connection, free: int) -> None:
    conn.execute("select wedsql.report_disk(%s, 1000000000)", [free])


@pytest.fixture
def admin(connect: Callable[..., Connection]) -> Iterator[Connection]:
    """A connection of the superuser; deletes reports of disk and clock afterwards."""
    found = connect()
    yield found
    found.execute("delete from wedsql.disk; delete from wedsql.beat")


def test_the_health_page_without_problems(alice: Client, parcels: Parcels, admin: Connection) -> None:
    parcels.start()
    report(admin, 600_000_000)
    admin.execute("select wedsql.reap()")
    alice.post("/health/check/")
    page = text_of(alice.get("/health/").content)
    assert page.count("✓ holds") == len(labels.INVARIANT) and "broken" not in page
    assert "572.2" in page and "of 953.7" in page and "(60.0 %)" in page
    assert "nearly full" not in page and "silent" not in page and "set back" not in page


def test_the_health_page_shows_problems(alice: Client, parcels: Parcels, admin: Connection) -> None:
    wid = parcels.start()
    report(admin, 49_999_999)
    admin.execute("delete from wedsql.job_pool where wid = %s", [wid])
    alice.post("/health/check/")
    page = text_of(alice.get("/health/").content)
    assert "no instance is started" in page and "The reaper is silent" in page and "never" in page
    assert "! broken" in page and f"instance {wid}" in page and "2 invariants are broken" in page
    admin.execute("select wedsql.reap()")
    admin.execute(
        "update wedsql.beat set detail = jsonb_build_object('latest', now() + interval '2 hours')"
        " where name = 'reaper'"
    )
    page = text_of(alice.get("/health/").content)
    assert "set back" in page and "silent" not in page


def test_an_old_report_of_the_disk_causes_no_warning(alice: Client, admin: Connection) -> None:
    report(admin, 1)
    admin.execute("update wedsql.disk set reported_at = now() - interval '6 minutes'")
    assert "nearly full" not in text_of(alice.get("/health/").content)


def test_the_health_page_is_for_users_who_see_every_flow(
    alice: Client, carol: Client, mallory: Client, client: Client
) -> None:
    assert [who.get("/health/").status_code for who in (alice, carol, mallory)] == [200, 404, 404]
    assert client.get("/health/").status_code == 302
    for who, shown in ((alice, True), (carol, False)):
        assert (b'href="/health/"' in who.get("/").content) is shown


def test_metrics_have_disk_clock_and_reaper(site: None, client: Client, admin: Connection) -> None:
    admin.execute("delete from wedsql.disk; delete from wedsql.beat")
    assert "wedsql_disk_free_bytes" not in numbers(client)
    report(admin, 500)
    admin.execute("select wedsql.reap()")
    found = numbers(client)
    assert (found["wedsql_disk_free_bytes"], found["wedsql_disk_bytes"]) == (500, 1e9)
    assert found["wedsql_clock_behind_seconds"] == 0 and found["wedsql_reaper_age_seconds"] < 60


def test_the_health_page_warns_long_before_the_numbers_end(
    site: None, alice: Client, client: Client, parcels: Parcels, admin: Connection
) -> None:
    wid = parcels.start()
    assert "of the numbers" not in text_of(alice.get("/health/").content)
    admin.execute("update wedsql.instance set wid = 1200000000 where wid = %s", [wid])
    try:
        assert "56 % of the numbers for instances are in use" in text_of(alice.get("/health/").content)
        assert 0.55 < numbers(client)["wedsql_instance_numbers_used_ratio"] < 0.57
    finally:
        admin.execute("update wedsql.instance set wid = %s where wid = 1200000000", [wid])
