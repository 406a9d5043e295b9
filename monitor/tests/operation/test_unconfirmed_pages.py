"""A change that no standby has confirmed is a success that pages, HTTP API and commands report."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from flows import api
from monitor.tests.conftest import Parcels, client_of, numbers_of, person, text_of
from testkit.standby import Standby, missing_standby
from testkit.waiting import until

WORDS = "its standby has not confirmed it"
HEADER = "WedSQL-Warning"


@pytest.fixture
def standby(site: None, parcels: Parcels, dsn: str) -> Iterator[Standby]:
    with missing_standby(dsn) as found:
        yield found


@pytest.fixture
def olga(parcels: Parcels, site: None) -> Client:
    """An operator of the flow, logged in before any commit waits."""
    return client_of(person("olga", f"flow:{parcels.flow}:operate"))


def test_a_page_says_that_a_change_was_not_confirmed(
    olga: Client, parcels: Parcels, standby: Standby
) -> None:
    with standby.ending():
        page = olga.post(f"/flows/{parcels.flow}/start/", {"customer": "ann"}, follow=True)
    assert page.status_code == 200 and WORDS in text_of(page.content)
    assert WORDS not in text_of(olga.get("/").content)


def test_the_api_says_it_in_a_header(olga: Client, parcels: Parcels, standby: Standby) -> None:
    def start() -> Any:
        address = f"/api/v1/flows/{parcels.flow}/instances"
        return olga.post(address, {"state": {"customer": "bob"}}, content_type="application/json")

    with standby.ending():
        answer = start()
    assert answer.status_code == 201 and WORDS in answer.headers[HEADER]
    standby.wanted("")
    answer = start()
    assert answer.status_code == 201 and HEADER not in answer.headers


def test_a_command_says_it(parcels: Parcels, standby: Standby) -> None:
    errors = io.StringIO()
    with standby.ending():
        call_command("startinstance", parcels.flow, "customer=cid", stdout=io.StringIO(), stderr=errors)
    assert WORDS in errors.getvalue()


def test_health_readiness_and_metrics_count_the_sessions_that_wait(
    alice: Client, parcels: Parcels, standby: Standby, connect: Callable[..., Any]
) -> None:
    alice.get("/health/")  # the session is written
    own = connect()
    thread = threading.Thread(target=api.instances.start, args=(parcels.flow, {}), kwargs={"conn": own})
    thread.start()
    try:
        until(lambda: standby.query("select wedsql.commits_waiting()") == 1, what="five seconds")
        assert "1 session waits for the standby to confirm its commit." in text_of(
            alice.get("/health/").content
        )
        assert Client().get("/readyz").json()["standby"] is False
        assert numbers_of(Client().get("/metrics").content.decode())["wedsql_commits_waiting"] == 1
    finally:
        with standby.ending():
            thread.join()
    assert Client().get("/readyz").json()["standby"] is True
