"""The page Tokens: a token is made after the password, shown once, and revoked."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from flows.tests.pages import Form
from monitor.api import tokens
from monitor.models import ApiToken

PAGE = "/accounts/tokens/"
PASSWORD = "correct horse battery"

pytestmark = pytest.mark.django_db


def test_a_token_is_made_shown_once_used_and_revoked(client: Client) -> None:
    user = User.objects.create_user("tina", password=PASSWORD, is_staff=True)
    client.force_login(user)
    given = {"name": "reports", "days": "30", "rights": ["operate"], "flows": ""}
    refused = client.post(PAGE, given | {"password": "wrong"})
    assert "The password is wrong." in refused.content.decode() and not ApiToken.objects.exists()
    shown = client.post(PAGE, given | {"password": PASSWORD}, headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in shown.headers, "a page with a secret is not compressed"
    found = re.search(r'<code class="key">(wed_\S{52})</code>', shown.content.decode())
    assert found is not None and found[1] not in client.get(PAGE).content.decode()
    headers = {"Authorization": f"Bearer {found[1]}"}
    token = Client().get("/api/v1/me", headers=headers).json()["token"]
    assert (token["name"], token["rights"]) == ("reports", ["operate"])
    other = Client()
    other.force_login(User.objects.create_user("otto"))
    other.post(PAGE, {"revoke": token["prefix"]})
    assert Client().get("/api/v1/me", headers=headers).status_code == 200
    client.post(PAGE, {"revoke": token["prefix"]})
    assert Client().get("/api/v1/me", headers=headers).status_code == 401


def test_a_form_that_is_sent_twice_makes_one_token(client: Client) -> None:
    client.force_login(User.objects.create_user("tess", password=PASSWORD, is_staff=True))
    given = Form(client.get(PAGE).content.decode()).fields | {"name": "reports", "password": PASSWORD}
    client.post(PAGE, given | {"days": "0"})
    client.post(PAGE, given)
    assert "This form was sent before" in client.post(PAGE, given, follow=True).content.decode()
    assert ApiToken.objects.filter(user__username="tess").count() == 1


def test_a_form_that_was_refused_makes_a_token_when_it_is_sent_again(client: Client) -> None:
    user = User.objects.create_user("tess", password=PASSWORD, is_staff=True)
    client.force_login(user)
    first, *_others = [tokens.create(user, "x", 1)[0] for _ in range(tokens.MOST_TOKENS)]
    given = Form(client.get(PAGE).content.decode()).fields | {"name": "reports", "password": PASSWORD}
    assert "revoke one first" in client.post(PAGE, given).content.decode()
    client.post(PAGE, {"revoke": first.prefix})
    client.post(PAGE, given)
    assert ApiToken.objects.filter(name="reports").count() == 1


def test_a_token_is_not_made_for_a_flow_that_the_user_does_not_see(client: Client) -> None:
    client.force_login(User.objects.create_user("nora", password=PASSWORD))
    given = {"name": "x", "days": "30", "flows": "payroll", "password": PASSWORD}
    assert "You see no flow payroll." in client.post(PAGE, given).content.decode()
    for wrong in ({"days": "0"}, {"days": "9999999999"}, {"name": "x" * 200}, {"rights": ["design"]}):
        client.post(PAGE, given | {"flows": ""} | wrong)
    assert not ApiToken.objects.exists()


def test_the_list_names_rights_in_the_language_of_the_user(client: Client) -> None:
    user = User.objects.create_user("tina", password=PASSWORD)
    tokens.create(user, "reports", 30, [], ["operate", "repair"])
    client.force_login(user)
    page = client.get(PAGE, headers={"Accept-Language": "pt-BR"}).content.decode()
    assert "Operar, Reparar" in page
