"""The pages of moves: hand over, download, upload, take back."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client

from flows import api
from flows.capabilities.moves.api import Peer
from flows.capabilities.moves.tests.kernel.sites import ORDERS, Site
from flows.tests.pages import Form
from monitor.tests.operation.test_sent_twice import FORM
from pages.once import FIELD
from testkit import kernel_db

pytestmark = pytest.mark.django_db


@pytest.fixture
def there() -> Iterator[Site]:
    """Another installation; it and this site know each other."""
    api.flows.create("orders")
    api.flows.publish("orders", ORDERS)
    own = api.moves.create_identity("home")
    with kernel_db.database() as uri:
        site = Site(uri, "there")
        known = site.identity
        api.moves.save_peer(Peer(known.id, "there", known.public_key, None, ("orders",)), "op")
        api.moves.save_peer(Peer(own.id, "home", own.public_key, None, ("*",)), "op", conn=site.conn)
        yield site
        site.conn.close()


@pytest.fixture
def page(there: Site) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("ana"))
    return client


def upload(page: Client, message: bytes | None) -> str:
    file = BytesIO(message or b"")
    file.name = "message.json"
    return page.post("/moves/", {"file": file}, follow=True).content.decode()


def handed(page: Client, there: Site, wid: int) -> str:
    form = {"peer": there.identity.id, "reason": "holidays", "hours": "48"}
    made = page.post(f"/instances/{wid}/hand-over/", form, follow=True)
    assert f"Instance {wid} is handed to there." in made.content.decode()
    return made.redirect_chain[-1][0]


def test_an_instance_goes_there_and_back_by_the_pages(page: Client, there: Site) -> None:
    wid = api.instances.start("orders", {"number": "1"})
    assert "Hand over" in page.get(f"/instances/{wid}/").content.decode()
    place = handed(page, there, wid)
    shown = page.get(f"/instances/{wid}/").content.decode()
    assert "Away at there" in shown and "has not confirmed it yet" in shown
    assert "Away at there" in page.get(f"/instances/{wid}/why/").content.decode()
    assert str(wid) in page.get("/instances/?q=status:away").content.decode()
    for _ in range(2):
        package = page.get(f"{place}message/")
        assert package.headers["Content-Disposition"].startswith("attachment")
        assert "needs no answer" in upload(page, there.receive(package.content))
    assert "continued there" in page.get(place).content.decode()
    assert page.get(f"{place}message/").status_code == 404
    far = there.one("select wid from wedsql.instance")
    there.step("pick", far, actor="zoe", picked="yes")
    back = api.moves.hand_over(far, "home", "done", conn=there.conn)
    for _ in range(2):
        assert "Give the answer to the other installation" in upload(page, there.message(back.id))
        there.receive(page.get(f"/moves/{back.id}/message/").content)
    assert there.move(back.id).state == "done"
    shown = page.get(f"/instances/{wid}/").content.decode()
    assert "at there" in shown and "zoe" in shown and "Away at" not in shown


def test_an_instance_is_taken_back_on_its_page(page: Client, there: Site) -> None:
    wid = api.instances.start("orders", {"number": "1"})
    place = handed(page, there, wid)
    assert "needs a reason" in page.post(place, {"reason": " "}).content.decode()
    assert f"Instance {wid} is back." in page.post(place, {"reason": "no"}, follow=True).content.decode()
    assert "is back already" in page.post(place, {"reason": "no"}).content.decode()


def test_the_health_page_says_that_a_package_has_expired(page: Client, there: Site) -> None:
    wid = api.instances.start("orders", {"number": "1"})
    place = handed(page, there, wid)
    said = "their packages have expired"
    assert said not in page.get("/health/").content.decode()
    with connection.cursor() as cursor:
        cursor.execute("update wedsql.move set expires_at = now()")
    assert said in page.get("/health/").content.decode()
    assert "It has expired" in page.get(place).content.decode()


def test_bad_input_is_said_and_keeps_what_was_typed(page: Client, there: Site) -> None:
    wid = api.instances.start("orders", {"number": "1"})
    for form, said in (
        ({"peer": "unknown", "reason": "holidays", "hours": "5"}, "No installation is registered as"),
        ({"peer": there.identity.id, "reason": "holidays", "hours": "x"}, "1 minute to 90 days"),
        ({"peer": there.identity.id, "reason": "", "hours": "5"}, "needs a reason"),
    ):
        text = page.post(f"/instances/{wid}/hand-over/", form).content.decode()
        assert said in text and f'value="{form["reason"]}"' in text
    for junk in (b"", b"{}", b"\xff", b"[" * 9_999):
        assert 'role="alert"' in upload(page, junk)
    assert 'role="alert"' in page.post("/moves/", {}).content.decode()
    for before in ("x", "2030-01-01 x", "2030-01-01T00:00 00000000-0000-0000-0000-000000000000", "%00"):
        assert page.get("/moves/", {"before": before}).status_code == 200
    assert page.get("/moves/00000000-0000-0000-0000-000000000000/").status_code == 404


def test_the_list_has_pages_by_key_and_is_in_portuguese(page: Client, there: Site) -> None:
    wid = api.instances.start("orders", {"number": "1"})
    for _ in range(52):
        made = api.moves.hand_over(wid, "there", "again")
        api.moves.take_back(made.id, "again")
    first = page.get("/moves/", headers={"Accept-Language": "pt-br"})
    text = first.content.decode()
    assert "Transferências" in text and "tomada de volta" in text and text.count("<tr role") == 53
    more = page.get("/moves/", {"before": first.context["more"]}).content.decode()
    assert more.count('href="/moves/') >= 2 and first.context["more"]


def test_who_operates_the_flow_moves_nothing_without_the_right_to_move(there: Site) -> None:
    """A package has the values of all attributes, and leaves the installation."""
    wid, user, client = (
        api.instances.start("orders", {"number": "1"}),
        User.objects.create_user("otto"),
        Client(),
    )
    user.groups.add(Group.objects.create(name="flow:orders:operate"))
    client.force_login(user)
    assert client.get(f"/instances/{wid}/hand-over/").status_code == 403
    assert "Hand over" not in client.get(f"/instances/{wid}/").content.decode()
    move = api.moves.hand_over(wid, "there", "holidays")
    file = BytesIO(there.receive(api.moves.message(move.id) or b"") or b"")
    file.name = "message.json"
    assert client.post("/moves/", {"file": file}).status_code == 403
    assert client.get(f"/moves/{move.id}/message/").status_code == 403
    assert client.post(f"/moves/{move.id}/", {"reason": "no"}).status_code == 403
    user.groups.set([Group.objects.create(name="flow:orders:move")])
    assert client.post(f"/moves/{move.id}/", {"reason": "no"}).status_code == 302
    assert "Hand over" in client.get(f"/instances/{wid}/").content.decode()
    assert client.get(f"/instances/{wid}/hand-over/").status_code == 200


def test_a_form_that_is_sent_twice_hands_over_once(page: Client, there: Site) -> None:
    place = f"/instances/{api.instances.start('orders', {'number': '1'})}/hand-over/"
    form = next(each for each in FORM.findall(page.get(place).content.decode()) if f'name="{FIELD}"' in each)
    fields = Form(form).fields | {"peer": there.identity.id, "reason": "holidays", "hours": "48"}
    page.post(place, fields)
    assert "This form was sent before" in page.post(place, fields, follow=True).content.decode()
