"""manage.py moves: an instance goes to another database and back by files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import transaction

from flows import api
from flows.capabilities.moves.api import Peer
from flows.capabilities.moves.tests.kernel.sites import ORDERS, Site
from flows.models import Instance
from flows.tests.commands import answer, refused, run
from testkit import kernel_db

pytestmark = pytest.mark.django_db


@pytest.fixture
def there() -> Iterator[Site]:
    """Another installation, which knows this one and is known by it."""
    with kernel_db.database() as uri:
        site = Site(uri, "there")
        yield site
        site.conn.close()


@pytest.fixture
def wid(there: Site) -> int:
    api.flows.create("orders")
    api.flows.publish("orders", ORDERS)
    own = answer("moves", "identity", "home")
    api.moves.save_peer(Peer(own["id"], "home", own["public_key"], None, ("orders",)), "op", conn=there.conn)
    known = there.identity
    line = ["--name", "there", "--key", known.public_key, "--accept", "orders", "--actor", "op"]
    assert "“there” is registered" in run("moves", "register", known.id, *line)
    return api.instances.start("orders", {"number": "1"})


def test_an_instance_is_sent_and_comes_back_by_files(there: Site, wid: int, tmp_path: Path) -> None:
    sent = answer("moves", "send", str(wid), "--to", "there", "--reason", "holidays")
    assert Instance.objects.get(wid=wid).status == "M"
    file, reply = tmp_path / "out.json", tmp_path / "in.json"
    for _ in range(2):
        run("moves", "message", sent["id"], "--file", str(file))
        reply.write_bytes(there.receive(file.read_bytes()) or b"")
        assert "needs no answer" in run("moves", "receive", str(reply))
    assert "needs no message" in run("moves", "message", sent["id"])
    assert "done" in run("moves", "list", "--flow", "orders")
    far = there.one("select wid from wedsql.instance")
    back = api.moves.hand_over(far, "home", "back", conn=there.conn)
    for _ in range(2):
        file.write_bytes(there.message(back.id))
        run("moves", "receive", str(file), "--file", str(reply))
        there.receive(reply.read_bytes())
    assert Instance.objects.get(wid=wid).status == "R" and there.move(back.id).state == "done"
    assert [each["name"] for each in answer("moves", "peers")] == ["there"]


def test_an_offer_is_taken_back_and_what_cannot_be_done_is_said(
    there: Site, wid: int, tmp_path: Path
) -> None:
    sent = answer("moves", "send", str(wid), "--to", "there", "--reason", "holidays")
    assert "on their way" in said("moves", "unregister", "there")
    assert f"Instance {wid} is back." in run("moves", "back", sent["id"], "--reason", "not now")
    assert "is back already" in said("moves", "back", sent["id"], "--reason", "again")
    assert json.loads(run("moves", "definition", _offered(wid)))["flow"] == "orders"
    assert "no file" in said("moves", "receive", str(tmp_path / "none"), code=2)
    junk = tmp_path / "junk"
    junk.write_text("{}")
    assert "not a message" in said("moves", "receive", str(junk))
    assert "number is one such" in said("moves", "back", "7", "--reason", "x", code=2)
    assert "needs the number of an instance" in said("moves", "send", "x", code=2)
    assert "registered as" in said("moves", "send", str(wid), "--to", "nowhere", "--reason", "x")


def said(*line: str, code: int = 1) -> str:
    """Return why a command is refused; the test's transaction goes on."""
    before = transaction.savepoint()
    found = refused(*line, code=code)
    transaction.savepoint_rollback(before)
    return found


def _offered(wid: int) -> str:
    return str(answer("moves", "send", str(wid), "--to", "there", "--reason", "again")["id"])
