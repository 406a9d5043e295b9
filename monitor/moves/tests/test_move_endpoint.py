"""Messages of moves by HTTP, between this site and another database."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client

from flows import api
from flows.capabilities.moves import reaper
from flows.capabilities.moves.api import Peer
from flows.capabilities.moves.tests.kernel.sites import ORDERS, Site
from testkit import kernel_db

pytestmark = pytest.mark.django_db
URL = "/api/v1/moves"


@pytest.fixture
def there(client: Client) -> Iterator[Site]:
    """Another installation; it and this site, which receives orders, know each other."""
    api.flows.create("orders")
    api.flows.publish("orders", ORDERS)
    own = api.moves.create_identity("home")
    with kernel_db.database() as uri:
        site = Site(uri, "there")
        known = site.identity
        peer = Peer(known.id, "there", known.public_key, "https://there.example/", ("orders",))
        api.moves.save_peer(peer, "op")
        api.moves.save_peer(Peer(own.id, "home", own.public_key, None, ("*",)), "op", conn=site.conn)
        yield site
        site.conn.close()


def sent(client: Client, message: bytes | None, sender: str) -> Any:
    return client.post(URL, message, content_type="application/json", headers={reaper.SENDER: sender})


def test_an_instance_arrives_by_two_requests(client: Client, there: Site) -> None:
    wid = there.start()
    move = api.moves.hand_over(wid, "home", "holidays", conn=there.conn)
    for _ in range(2):
        answer = sent(client, there.message(move.id), there.identity.id)
        assert answer.status_code == 200
        there.receive(answer.content)
    assert there.move(move.id).state == "done" and api.moves.read(move.id).state == "arrived"


def test_who_is_not_registered_or_sends_something_else_is_rejected(client: Client, there: Site) -> None:
    move = api.moves.hand_over(there.start(), "home", "holidays", conn=there.conn)
    message = there.message(move.id)
    for sender in ("", "x", "00000000-0000-0000-0000-000000000000"):
        assert sent(client, message, sender).status_code == 403
    for junk in (b"", b"{}", b"[", message[:-30], message.replace(b"holidays", b"holidayz")):
        answer = sent(client, junk, there.identity.id)
        assert (answer.status_code, answer.json()["code"]) == (422, "WD621")
    assert client.put(URL).status_code == 405
    large = sent(client, b"{" + b" " * (12 * 1024 * 1024), there.identity.id)
    assert large.status_code in (400, 413)
    api.moves.save_peer(
        Peer(there.identity.id, "there", there.identity.public_key, None, (), enabled=False), "op"
    )
    assert sent(client, message, there.identity.id).status_code == 403
    assert api.moves.list() == []


class Receiver(BaseHTTPRequestHandler):
    """The web process of the other installation."""

    there: Site

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        answer = self.there.receive(self.rfile.read(size)) if self.headers[reaper.SENDER] else None
        self.send_response(200 if answer and self.path == reaper.ADDRESS else 401)
        self.end_headers()
        self.wfile.write(answer or b"")

    def log_message(self, *_: Any) -> None:
        """Write no log."""


def test_the_reaper_sends_what_is_due_and_keeps_what_could_not_be_sent(there: Site, settings: Any) -> None:
    settings.WEDSQL_WEBHOOK_HTTP = settings.WEDSQL_WEBHOOK_INTERNAL = True
    wid = api.instances.start("orders", {"number": "1"})
    handler = type("Handler", (Receiver,), {"there": there})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        known = there.identity
        address = f"http://127.0.0.1:{server.server_port}/"
        api.moves.save_peer(Peer(known.id, "there", known.public_key, address), "op")
        server.server_close()
        move = api.moves.hand_over(wid, "there", "holidays")
        assert reaper.beside_rounds() == 0
        found = api.moves.read(move.id)
        assert (found.state, found.attempts) == ("offered", 1) and "cannot be reached" in str(
            found.last_error
        )
        assert reaper.beside_rounds() == 0
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        api.moves.save_peer(Peer(known.id, "there", known.public_key, address), "op")
        with connection.cursor() as cursor:
            cursor.execute("update wedsql.move set next_at = wedsql.now() where id = %s", [move.id])
        assert reaper.beside_rounds() == 2
        server.shutdown()
    assert api.moves.read(move.id).state == "done" and there.move(move.id).state == "arrived"


def test_moves_are_listed_by_pages_for_those_who_see_their_flows(client: Client, there: Site) -> None:
    wid = api.instances.start("orders", {"number": "1"})
    made = []
    for _ in range(3):
        made.append(api.moves.hand_over(wid, "there", "again").id)
        api.moves.take_back(made[-1], "no")
    assert client.get(URL).status_code == 401
    client.force_login(User.objects.create_superuser("ana"))
    first = client.get(URL, {"limit": 2}).json()
    second = client.get(URL, {"limit": 2, "cursor": first["next"]}).json()
    assert [each["id"] for each in first["items"] + second["items"]] == made[::-1]
    assert second["next"] is None and first["items"][0]["state"] == "taken_back"
    assert "document" not in first["items"][0]
    assert client.get(URL, {"state": "offered"}).json()["items"] == []
    assert len(client.get(URL, {"wid": wid, "flow": "orders"}).json()["items"]) == 3
    for wrong, code in (
        ({"cursor": "x"}, 404),
        ({"state": "x"}, 422),
        ({"flow": "x"}, 404),
        ({"limit": 0}, 422),
    ):
        assert client.get(URL, wrong).status_code == code, wrong
    other = User.objects.create_user("otto")
    other.groups.add(Group.objects.create(name="flow:other"))
    client.force_login(other)
    assert client.get(URL).json()["items"] == []
    assert client.get(URL, {"flow": "orders"}).status_code == 404
