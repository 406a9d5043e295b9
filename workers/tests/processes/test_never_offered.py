"""Handlers of transitions that no rule has are logged at the start and after each publication."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from BaseWorker.server import Server
from flows import api
from testkit.waiting import until
from workers.client.statement import BEGIN, COMMIT
from workers.process.presence import Presence
from workers.tests.conftest import Shop
from workers.tests.test_baseworker import WED

Log = pytest.LogCaptureFixture


def good(state: Any, ctx: Any) -> Any:
    return {"a": "good"}


def warnings(log: Log) -> list[str]:
    """Return the warnings since the last call."""
    found = [r.getMessage() for r in log.records if r.levelno == logging.WARNING]
    log.clear()
    return found


@pytest.fixture
def presence(shop: Shop) -> Iterator[Callable[..., Presence]]:
    """Makes the registration of the test's process, which is withdrawn at the end."""
    made: list[Presence] = []

    def make(**options: Any) -> Presence:
        wire, registry = shop.runner.wire, shop.registry
        made.append(Presence(wire, registry, kind="process", actor="tester", **options))
        made[-1].update()
        return made[-1]

    yield make
    for one in made:
        one.unregister()


def served(shop: Shop) -> list[str]:
    query = "select serves from wedsql.worker where kind = 'process' order by id desc limit 1"
    return list(shop.one(query))


def publish(shop: Shop, name: str) -> None:
    definition = api.flows.definition(shop.flow, conn=shop.db)
    definition["triggers"].append({"name": name, "transition": name, "predicate": "n = 1"})
    api.flows.publish(shop.flow, definition, conn=shop.db)


def test_a_misspelled_handler_is_logged_at_the_start_and_after_each_publication(
    shop: Shop, presence: Callable[..., Presence], caplog: Log
) -> None:
    caplog.set_level(logging.INFO)
    shop.on("tr_two", good, flow=shop.flow)
    shop.on("tr_onne", good)
    here = presence()
    text = f'tester No rule of flow "{shop.flow}" has the transition "tr_two".'
    assert warnings(caplog) == ['tester No rule has the transition "tr_onne". Did you mean tr_one?', text]
    assert served(shop) == [":tr_onne", f"{shop.flow}:tr_two"]
    here.update()
    here.heartbeat(waiting=True)
    assert warnings(caplog) == []
    for name in ("tr_three", "tr_two"):
        publish(shop, name)
        until(lambda: bool(shop.runner.wire.round(BEGIN, COMMIT)) and b"wedsql_flow" in here.wire.notified)
        here.update()
        assert (text in warnings(caplog)) == (name == "tr_three")
    assert served(shop) == [f"{shop.flow}:tr_two", ":tr_onne"]


def test_handlers_of_flows_that_are_not_there_are_one_line(
    shop: Shop, presence: Callable[..., Presence], caplog: Log
) -> None:
    caplog.set_level(logging.INFO)
    for number in range(3):
        shop.on(f"quite_another_{number}", good, flow="of_another_project" if number else None)
    presence()
    assert warnings(caplog) == [] and served(shop) == []


def test_a_worker_that_is_limited_to_a_flow_that_is_not_there_says_so(
    shop: Shop, presence: Callable[..., Presence], caplog: Log
) -> None:
    shop.on("tr_one", good)
    presence(flows=[f"{shop.flow}_x"])
    (found,) = warnings(caplog)
    assert found == f'tester There is no flow "{shop.flow}_x". Did you mean {shop.flow}?'


def test_the_paper_s_client_logs_that_its_rule_is_gone(
    dsn: str, loaded: Callable[[str], str], connect: Callable[..., psycopg.Connection[Any]], caplog: Log
) -> None:
    flow, db = loaded(WED), connect()
    server = Server(make_conninfo(dsn, options=f"-c search_path={flow}"), "tr_aaa")
    server.connect()
    assert server.take() is None and warnings(caplog) == []
    db.execute(f"update \"{flow}\".wed_trig set trname = 'tr_aab' where trname = 'tr_aaa'")
    for _ in range(3):
        assert server.take() is None
    text = f'No rule of flow "{flow}" has the transition "tr_aaa". Did you mean tr_aab?'
    assert warnings(caplog) == [text]
    server.close()
