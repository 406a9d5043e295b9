"""Webhooks: filters over the state of steps, and the receiver of the documentation, which checks them."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from flows import api
from flows.capabilities.webhooks import queries, reaper, subscriptions
from flows.capabilities.webhooks.api import SavedWebhook, Webhook, WebhookSteps
from flows.queries.definitions import flow_by_name
from testkit.processes import Processes
from testkit.waiting import until
from workers.tests.conftest import Shop

DOCS = Path(__file__).parents[3] / "docs/webhooks.md"
DEFINITION = {
    "attributes": [
        {"name": "city", "default": "Rio"},
        {"name": "n", "type": "integer"},
        {"name": "extra", "type": "jsonb"},
    ],
    "triggers": [{"transition": "tr_go", "predicate": "city is not null"}],
}
COMMITTED = """
select t.wid, t.seq, to_jsonb(t.tstmp) #>> '{}', t.status::text from wedsql.wed_trace t
join wedsql.flow f on f.id = t.flow_id where f.name = %s order by 1, 2
"""


@pytest.fixture
def hook(db: None) -> SavedWebhook:
    api.flows.create("hooked_shop")
    api.flows.publish("hooked_shop", DEFINITION)
    flow = flow_by_name("hooked_shop")
    assert flow is not None
    return subscriptions.save(flow, Webhook("https://example.org/"), "olga")[0]


def committed(hook: SavedWebhook) -> WebhookSteps:
    """Return all steps of the flow; those of a test's own transaction are not committed for the kernel."""
    with connection.cursor() as cursor:
        cursor.execute(COMMITTED, [hook.flow])
        steps = cursor.fetchall()
    return WebhookSteps(hook.id, hook.revision, hook.flow, "", "1:1:", "2:2:", False, steps)


def test_a_filter_is_about_the_state_that_a_step_left(hook: SavedWebhook) -> None:
    five, seven = (
        api.instances.start(hook.flow, {"n": 5, "extra": {"a": 1, "b": 2}}),
        api.instances.start(hook.flow, {"n": 7}),
    )
    natal = api.instances.start(hook.flow, {"city": "Natal"})
    api.instances.cancel(five, "x")
    expected: dict[str, set[tuple[int, int]]] = {
        "n>=5": {(five, 1), (five, 2), (seven, 1)},
        "n>=5 status:running": {(five, 1), (seven, 1)},
        "status:ended": {(five, 2)},
        "city:Natal": {(natal, 1)},
        'where:"n = 7"': {(seven, 1)},
        'extra~"{\\"a\\": 1}"': {(five, 1), (five, 2)},
        f"id:{natal} started:today age<1h": {(natal, 1)},
        "not n>=5": {(natal, 1)},
        "n:8": set(),
    }
    found = committed(hook)
    assert len(queries.chosen(found).steps) == 4
    for query, wanted in expected.items():
        chosen = queries.chosen(replace(found, query=query))
        assert {(wid, seq) for wid, seq, _at, _event in chosen.steps} == wanted, query


def test_the_reaper_may_filter_and_a_filter_that_fails_is_shown(hook: SavedWebhook) -> None:
    api.instances.start(hook.flow, {"n": 5})
    found = committed(hook)
    with connection.cursor() as cursor:
        cursor.execute("set local role wed_reaper")
    assert len(queries.chosen(replace(found, query='n:5 where:"n > 4"')).steps) == 1
    assert reaper._queued(replace(found, query="gone:1")) is None
    reaper.beside_rounds()
    with connection.cursor() as cursor:
        cursor.execute("reset role")
    assert "gone" in (api.webhooks.read(hook.id).problem or "")


@contextmanager
def receiver(secret: str, directory: Path) -> Iterator[tuple[int, Path]]:
    """Run the receiver of the documentation; return its port and the file of what it printed."""
    (source,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.DOTALL)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    printed = directory / "printed"
    environment = os.environ | {"WEBHOOK_SECRET": secret, "PORT": str(port)}
    with (
        printed.open("w") as file,
        subprocess.Popen(
            [sys.executable, "-c", source], env=environment, stdout=file, stderr=subprocess.DEVNULL
        ) as process,
    ):
        try:
            yield port, printed
        finally:
            process.kill()


def test_the_receiver_of_the_documentation_gets_what_is_signed(
    shop: Shop, processes: Processes, tmp_path: Path, settings: Any
) -> None:
    settings.WEDSQL_WEBHOOK_HTTP = settings.WEDSQL_WEBHOOK_INTERNAL = True

    def messages() -> list[dict[str, Any]]:
        return [json.loads(line) for line in printed.read_text().splitlines()]

    with receiver("quiet", tmp_path) as (port, printed):
        hook = Webhook(f"http://127.0.0.1:{port}/", ["started", "cancelled"], "n>=5", ["n"], secret="quiet")
        right = api.webhooks.save(shop.flow, hook, "olga", conn=shop.db)
        wrong = api.webhooks.save(shop.flow, replace(hook, secret="other"), "olga", conn=shop.db)
        processes.manage(
            "qcluster",
            Q_CLUSTER_NAME="reaper",
            WEDSQL_PROCESS="reaper",
            DATABASE_URL=processes.reaper_uri,
            WEDSQL_WEBHOOK_HTTP="1",
            WEDSQL_WEBHOOK_INTERNAL="1",
            WEDSQL_SITE_URL="https://wedsql.example/",
        )
        (wid,) = shop.start(n=7)
        shop.start(n=1)
        api.instances.cancel(wid, "x", conn=shop.db)
        until(lambda: len(messages()) == 2, 60, processes.output)
        until(lambda: api.webhooks.read(wrong.id, conn=shop.db).failing_since_at, 60, processes.output)
        started = next(each for each in messages() if each["event"] == "started")
        assert {name: started[name] for name in ("flow", "wid", "step", "status", "attributes", "link")} == {
            "flow": shop.flow, "wid": wid, "step": 1, "status": "running", "attributes": {"n": 7},
            "link": f"https://wedsql.example/instances/{wid}/steps/1/",
        }  # fmt: skip
        found = api.webhooks.deliveries(right.id, conn=shop.db)
        until(lambda: api.webhooks.read(right.id, conn=shop.db).waiting == 0, 60, processes.output)
        assert {each.key for each in found} == {each["id"] for each in messages()}
        errors = {each.error for each in api.webhooks.deliveries(wrong.id, conn=shop.db) if each.attempts}
        assert "The receiver answered 403." in errors
    api.webhooks.delete(right.id, conn=shop.db)
    api.webhooks.delete(wrong.id, conn=shop.db)
