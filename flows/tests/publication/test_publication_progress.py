"""How far a publication is, on the tab Publish; one that is interrupted is either done or undone."""

from __future__ import annotations

import html
import re
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psycopg
import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from psycopg import sql

from flows import api
from flows.models import Flow
from flows.types import PublicationChoices
from testkit.processes import Processes
from testkit.waiting import until
from testkit.web import WebServer

pytestmark = pytest.mark.django_db(transaction=True)
Db = psycopg.Connection[Any]


def address(flow: str, query: str = "") -> str:
    return reverse("admin:flows_flow_publish", args=[Flow.objects.get(name=flow).pk]) + query


def text_of(client: Client, flow: str, query: str = "?part=requests") -> str:
    page = client.get(address(flow, query))
    assert page.status_code == 200, page.status_code
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", page.content.decode()).split()))


def drafted(flow: str) -> Any:
    draft = api.drafts.open(flow, actor="alice")
    draft.definition["triggers"][0]["predicate"] = "a1 = 'never'"
    return api.drafts.save(draft.at, draft.definition, actor="alice").at


def scheduled(flow: str) -> int:
    later = PublicationChoices(reason="later", publish_at=datetime.now(UTC) + timedelta(hours=1))
    return api.publications.request(drafted(flow), later, actor="alice").id


def come(owner: Db, publication: int) -> None:
    """Let the time of a publication come."""
    due = "update wedsql.publication set publish_at = wedsql.now() where id = %s"
    owner.execute(due, [publication])


@contextmanager
def held(owner: Db, flow: str) -> Iterator[None]:
    """Keep a publication of the flow from going on in the middle, for as long as its lock time-out allows."""
    with owner.transaction():
        owner.execute(sql.SQL("lock table {} in row exclusive mode").format(sql.Identifier(flow, "wed_flow")))
        yield


def waits_for_lock(owner: Db, flow: str) -> Callable[[], bool]:
    found = "select from pg_locks where not granted and relation = %s::regclass"
    return lambda: bool(owner.execute(found, [f'"{flow}".wed_flow']).rowcount)


def running(flow: str) -> str:
    return str(api.drafts.running_definition(flow)[1]["triggers"][0]["predicate"])


@pytest.fixture
def reapers(dsn: str, tmp_path: Path) -> Iterator[Processes]:
    with Processes(dsn, tmp_path) as processes:
        yield processes


def reaper(processes: Processes) -> Any:
    return processes.manage("qcluster", Q_CLUSTER_NAME="reaper", WEDSQL_PROCESS="reaper")


def test_a_publication_that_is_due_waits_then_runs_then_has_ended(
    alice: Client, fig2: str, connect: Callable[..., Db]
) -> None:
    owner, role = connect(), connect("wed_reaper")
    assert "data-running" not in alice.get(address(fig2)).content.decode()
    come(owner, scheduled(fig2))
    assert "waits for its time" in text_of(alice, fig2)

    assert api.publications.begin_due(conn=role)

    page = alice.get(address(fig2)).content.decode()
    assert "data-running" in page and 'http-equiv="refresh"' in page
    assert "is being published" in text_of(alice, fig2) and "Withdraw" not in text_of(alice, fig2)
    assert "A version is being published; this is computed afterwards." in text_of(alice, fig2, "")
    assert api.publications.publish_due(conn=role) == fig2
    assert not api.publications.begin_due(conn=role)
    assert "data-running" not in alice.get(address(fig2)).content.decode()
    assert re.search(r"✓ published version \d+", text_of(alice, fig2))


def test_a_rematch_that_is_left_is_shown_with_its_progress(
    alice: Client, fig2: str, connect: Callable[..., Db]
) -> None:
    owner, made = connect(), api.publications.request(drafted(fig2), actor="alice").id
    report = "update wedsql.publication set report = report || %s::jsonb where id = %s"
    owner.execute(report, ['{"checked": 1500, "left": 500}', made])

    assert "1,500 of 2,000 living instances are matched again." in text_of(alice, fig2)

    owner.execute(report, ['{"checked": 2000, "left": 0}', made])
    assert "matched again" not in text_of(alice, fig2)


def test_a_far_publication_is_not_followed(alice: Client, fig2: str) -> None:
    scheduled(fig2)

    assert "waits for its time" in text_of(alice, fig2)
    assert "data-running" not in alice.get(address(fig2)).content.decode()


def test_a_reaper_that_is_killed_in_the_middle_changes_nothing_and_the_next_one_publishes(
    alice: Client, fig2: str, connect: Callable[..., Db], reapers: Processes
) -> None:
    owner, watcher, before = connect(), connect(), running(fig2)
    api.instances.start_many(fig2, [{}] * 3)
    made = scheduled(fig2)
    with held(owner, fig2):
        come(watcher, made)
        first = reaper(reapers)
        until(waits_for_lock(watcher, fig2), 60, reapers.output)
        assert "is being published" in text_of(alice, fig2)
        reapers.kill()
        assert first.poll() is not None
        assert running(fig2) == before
        assert not re.search(r"✓ published", text_of(alice, fig2))

    reaper(reapers)
    until(lambda: running(fig2) != before, 60, reapers.output)
    assert re.search(r"✓ published version \d+", text_of(alice, fig2))


def asked(server: WebServer, client: Client, flow: str, revision: int) -> socket.socket:
    """Press Publish, and return the connection without having read the answer."""
    cookies = f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"
    token = "t" * 32
    body = urlencode({"do": "publish", "revision": revision, "csrfmiddlewaretoken": token}).encode()
    head = (
        f"POST {address(flow)} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        f"Cookie: {cookies}; {settings.CSRF_COOKIE_NAME}={token}\r\nOrigin: http://127.0.0.1:{server.port}\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    connection = socket.create_connection(("127.0.0.1", server.port))
    connection.sendall(head.encode() + body)
    return connection


LOST = ["the web process", "the database session", "the browser"]


@pytest.mark.parametrize("lost", LOST)
def test_a_connection_that_is_lost_in_the_middle_leaves_it_undone_or_done_and_the_page_says_which(
    alice: Client, fig2: str, dsn: str, connect: Callable[..., Db], lost: str
) -> None:
    owner, watcher, before = connect(), connect(), running(fig2)
    revision = drafted(fig2).revision
    waiting = "select pid from pg_locks where not granted and relation = %s::regclass"
    with WebServer.on(dsn) as server:
        with held(owner, fig2):
            connection = asked(server, alice, fig2, revision)
            until(waits_for_lock(watcher, fig2), 30, server.written)
            if lost == "the web process":
                server.process.send_signal(signal.SIGKILL)
                server.process.wait()
            elif lost == "the database session":
                (pid,) = watcher.execute(waiting, [f'"{fig2}".wed_flow']).fetchone() or (0,)
                watcher.execute("select pg_terminate_backend(%s)", [pid])
            connection.close()
            if lost != "the browser":
                until(lambda: not waits_for_lock(watcher, fig2)())
        if lost == "the browser":
            until(lambda: running(fig2) != before, 30, server.written)

    page = text_of(alice, fig2, "")
    if lost == "the browser":
        assert re.search(r"✓ published version \d+", page) and "There is no draft" not in page
    else:
        assert running(fig2) == before and "1 change to version" in page
        assert "published version" not in page and not api.publications.list(fig2)
