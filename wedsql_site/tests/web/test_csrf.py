"""No URL changes anything on a form of another site, whoever is logged in."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from testkit.cases import pairs
from tests.addresses import filled, patterns
from wedsql_site.web.request_threads import PROBES

pytestmark = pytest.mark.django_db
ADDRESSES = sorted({filled(*each) for each in patterns()} - PROBES)
API = "/api/v1/"
KEY, OTHER = "k" * 32, "o" * 32
# What a page of another site can make a browser send; it cannot read the token of a form.
FOREIGN: list[dict[str, Any]] = [
    {"cookie": "", "origin": "", "key": ""},
    {"cookie": KEY, "origin": "", "key": ""},
    {"cookie": KEY, "origin": "", "key": OTHER},
    {"cookie": KEY, "origin": "https://evil.example", "key": KEY},
    {"cookie": KEY, "origin": "null", "key": KEY},
]


@pytest.fixture
def root() -> Client:
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.create_superuser("root"))
    return client


def send(client: Client, method: str, address: str, cookie: str, origin: str, key: str) -> int:
    """Send a form from a page of `origin`; return the status of the response."""
    client.cookies["csrftoken"] = cookie
    body = f"csrfmiddlewaretoken={key}" if key else ""
    headers = {"origin": origin} if origin else {}
    form = "application/x-www-form-urlencoded"
    return client.generic(method, address, body, content_type=form, headers=headers).status_code


def rejected(address: str, status: int) -> bool:
    """Return whether nothing was done. The HTTP API names a method that an address does not have first."""
    return status == 403 or (address.startswith(API) and status == (404 if address == API else 405))


@pytest.mark.parametrize(("foreign", "method"), pairs(FOREIGN, ["POST", "PUT", "DELETE"], 3))
def test_every_url_rejects_a_form_of_another_site(method: str, foreign: dict[str, Any], root: Client) -> None:
    assert len(ADDRESSES) > 100
    found = {address: send(root, method, address, **foreign) for address in ADDRESSES}
    assert {address: status for address, status in found.items() if not rejected(address, status)} == {}


def test_the_same_form_of_this_site_is_accepted(root: Client) -> None:
    assert send(root, "POST", "/theme/", KEY, "http://testserver", KEY) == 302
