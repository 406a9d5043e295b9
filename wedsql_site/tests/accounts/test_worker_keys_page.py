"""The page Worker keys: a key is created after the password, shown once, rotated and revoked."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from flows import api
from flows.models import Trigger
from flows.tests.pages import unique

PAGE = "/workers/keys/"
PASSWORD = "correct horse battery"

pytestmark = pytest.mark.django_db


@pytest.fixture
def flow() -> str:
    name = unique()
    api.flows.create(name)
    api.flows.publish(
        name,
        {"attributes": [{"name": "a"}], "triggers": [{"transition": "tr_pack", "predicate": "a is null"}]},
    )
    return name


@pytest.fixture
def kim(client: Client) -> Client:
    """May manage keys, and is no superuser."""
    user = User.objects.create_user("kim", password=PASSWORD)
    for name in ("view_flow", "manage_worker_keys"):
        user.user_permissions.add(Permission.objects.get(codename=name))
    client.force_login(user)
    return client


def post(client: Client, verb: str, **given: Any) -> str:
    sent = {"verb": verb, "password": PASSWORD} | given
    answer = client.post(PAGE, sent, follow=True, headers={"Accept-Encoding": "gzip"})
    assert answer.status_code == 200 and "Content-Encoding" not in answer.headers
    return answer.content.decode()


def secret(page: str) -> str:
    found = re.search(r"<code>(wedkey_[0-9a-f]{64})</code>", page)
    assert found is not None, page
    return found[1]


def keys(flow: str) -> list[Any]:
    return [key for key in api.workers.list_keys(all=True, limit=200) if flow in key.scope]


def test_a_key_is_created_rotated_and_revoked(kim: Client, flow: str) -> None:
    given = {"name": f"k-{flow}", "scope": f"{flow}: tr_pack\n", "days": "30"}
    assert "The password is wrong." in post(kim, "create", **given | {"password": "no"})
    assert keys(flow) == []
    first = secret(post(kim, "create", **given))
    assert api.workers.log_in(first) == f"k-{flow}"
    page = kim.get(PAGE).content.decode()
    assert first not in page and f"{flow}: tr_pack" in page and "kim" in page
    assert "The password is wrong." in post(kim, "rotate", key=f"k-{flow}", hours="1", password="no")
    assert secret(post(kim, "rotate", key=f"k-{flow}", hours="1")) != first
    (key,) = keys(flow)
    assert (key.created_by, key.rotated_by, key.old_until is not None) == ("kim", "kim", True)
    assert keys(flow)[0].revoked_at is None
    assert "This field is required." in post(kim, "revoke", key=f"k-{flow}", reason=" ")
    assert "The key is revoked" in post(kim, "revoke", key=f"k-{flow}", reason="sold")
    assert (keys(flow)[0].revoked_by, keys(flow)[0].revoked_for) == ("kim", "sold")
    assert f"k-{flow}" not in kim.get(PAGE).content.decode()
    assert "sold" in kim.get(PAGE + "?all=1").content.decode()


def test_a_key_is_created_for_a_role(kim: Client, flow: str) -> None:
    Trigger.objects.filter(flow__name=flow).update(role="Clerk")
    secret(post(kim, "create", name=f"k-{flow}", scope=flow, role="Clerk"))
    assert keys(flow)[0].scope == {flow: ["tr_pack"]}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"name": "a/b"}, "The name of a worker key"),
        ({"scope": "nowhere"}, "There is no flow"),
        ({"scope": "{flow}: tr_none"}, "has no transition"),
        ({"scope": "{flow}:"}, "Each flow has one line"),
        ({"scope": "{flow}\n{flow}"}, "Each flow has one line"),
        ({"role": "Boss"}, "has no transition of the role"),
        ({"role": "Clerk", "scope": "{flow}: tr_pack"}, "A role is for flows without a colon"),
        ({"days": "0"}, "greater than or equal to 1"),
        ({"name": "a\x00b"}, "Null characters"),
    ],
)
def test_a_wrong_form_creates_no_key(kim: Client, flow: str, given: dict[str, str], says: str) -> None:
    named = {name: text.replace("{flow}", flow) for name, text in given.items()}
    assert says in post(kim, "create", **{"name": f"k-{flow}", "scope": flow} | named)
    assert keys(flow) == []


def test_a_form_for_no_key_is_answered(kim: Client, flow: str) -> None:
    assert "There is no worker key" in post(kim, "revoke", key="x\x00y" * 90, reason="x")
    assert "There is no worker key" in post(kim, "rotate", hours="1")
    assert post(kim, "nonsense") and kim.get(PAGE + "?verb=rotate&after=%00&key=%00").status_code == 200


def test_whoever_may_not_manage_keys_sees_none(kim: Client, flow: str) -> None:
    for name in ("view_flow", "manage_worker_keys"):
        user = User.objects.create_user(name, password=PASSWORD)
        user.user_permissions.add(Permission.objects.get(codename=name))
        other = Client()
        other.force_login(user)
        assert other.get(PAGE).status_code == 403
        assert other.post(PAGE, {"verb": "create", "name": "k", "scope": flow}).status_code == 403
        assert PAGE not in other.get("/").content.decode()
    assert f'href="{PAGE}"' in kim.get("/workers/").content.decode()


def test_the_page_is_in_the_language_of_the_user(kim: Client) -> None:
    page = kim.get(PAGE, headers={"Accept-Language": "pt-BR"}).content.decode()
    assert "Chaves de trabalhadores" in page and "Worker keys" not in page
