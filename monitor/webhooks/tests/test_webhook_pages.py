"""The pages of webhooks: what each user sees, and what who operates a flow does."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from flows import api
from flows.capabilities.webhooks.api import SavedWebhook
from monitor.tests.conftest import Parcels, text_of

FORM = {"url": "https://hooks.example.org/secret-path", "final": "on", "query": "pieces>3", "enabled": "on"}
RESTORED = "The database was restored from a dump."


def shown(client: Client, address: str) -> str:
    return " ".join(text_of(client.get(address).content).split())


def only(parcels: Parcels) -> SavedWebhook:
    (hook,) = api.webhooks.list([parcels.flow], conn=parcels.connection)
    return hook


@pytest.fixture
def hook(root: Client, parcels: Parcels) -> SavedWebhook:
    answer = root.post(f"/flows/{parcels.flow}/webhooks/new/", FORM)
    assert answer.status_code == 302, text_of(answer.content)
    return only(parcels)


def test_an_empty_page_says_what_a_webhook_is(root: Client, carol: Client, parcels: Parcels) -> None:
    address = f"/flows/{parcels.flow}/webhooks/"
    assert "notifies another system" in shown(root, address) and "New webhook" in shown(root, address)
    assert "New webhook" not in shown(carol, address)
    assert "Webhooks" in shown(root, f"/flows/{parcels.flow}/")


def test_the_secret_is_shown_once_and_the_address_to_who_operates(
    root: Client, carol: Client, parcels: Parcels
) -> None:
    page = root.post(f"/flows/{parcels.flow}/webhooks/new/", FORM, follow=True).content.decode()
    found = re.search(r"shown only now: ([\w-]{40,})", page)
    assert found
    address = f"/webhooks/{only(parcels).id}/"
    for path in (address, f"{address}change/", f"/flows/{parcels.flow}/webhooks/"):
        assert found[1] not in root.get(path).content.decode()
    assert "secret-path" in shown(root, address)
    for path in (address, f"/flows/{parcels.flow}/webhooks/"):
        assert "example.org" not in carol.get(path).content.decode()


def test_a_webhook_is_changed_tested_resumed_and_removed(
    root: Client, hook: SavedWebhook, parcels: Parcels
) -> None:
    address = f"/webhooks/{hook.id}/"
    changed = FORM | {"exception": "on", "attributes": "pieces, stage"}
    root.get(address)  # shows the secret of the new one
    page = root.post(f"{address}change/", changed, follow=True).content.decode()
    assert "shown only now" not in page
    assert (only(parcels).events, only(parcels).attributes) == (["exception", "final"], ["pieces", "stage"])
    root.post(f"{address}test/")
    assert "Attempts" in shown(root, address) and "waiting" in shown(root, address)
    paused = "paused_at = now(), problem = 'The receiver answered 500.'"
    pause = f"update wedsql.webhook set {paused} where id = %s"
    parcels.connection.execute(pause, [hook.id])
    assert "paused" in shown(root, f"/flows/{parcels.flow}/webhooks/")
    assert "The receiver answered 500." in shown(root, address) and "Resume from now" in shown(root, address)
    root.cookies["django_language"] = "pt-br"
    parcels.connection.execute(pause.replace("The receiver answered 500.", RESTORED), [hook.id])
    assert "O banco de dados foi restaurado" in shown(root, address)
    for verb in ("resume", "skip"):
        parcels.connection.execute(pause, [hook.id])
        root.post(f"{address}{verb}/")
        assert only(parcels).paused_at is None
    assert root.post(f"{address}remove/").status_code == 302
    assert root.get(address).status_code == 404 and root.post(f"{address}nothing/").status_code == 404


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("url", "http://example.org/", "begins with https"),
        ("url", "", "begins with https"),
        ("query", "pieces:x", "whole number"),
        ("query", "pending:tr_pack", "not known of a step"),
        ("attributes", "nothing", "no attribute"),
        ("final", "", "at least one of the events"),
    ],
)
def test_what_cannot_work_is_said_in_the_form(
    root: Client, parcels: Parcels, field: str, value: str, said: str
) -> None:
    answer = root.post(f"/flows/{parcels.flow}/webhooks/new/", FORM | {field: value})
    assert answer.status_code == 200 and said in text_of(answer.content)
    assert api.webhooks.list([parcels.flow], conn=parcels.connection) == []


def test_why_messages_of_a_webhook_wait_is_said_first(
    root: Client, hook: SavedWebhook, parcels: Parcels
) -> None:
    api.webhooks.send_test_message(hook.id, conn=parcels.connection)
    failed = "update wedsql.delivery set error = 'The receiver answered 500.' where hook_id = %s"
    parcels.connection.execute(failed, [hook.id])
    parcels.connection.execute("update wedsql.webhook set failing_since = now() where id = %s", [hook.id])
    root.cookies["django_language"] = "pt-br"
    page = root.get(f"/webhooks/{hook.id}/").content.decode()
    assert '<div class="note note-warning">O destinatário respondeu 500.</div>' in page
