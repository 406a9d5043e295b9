"""Programs that call the HTTP API in tests."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from monitor.api import tokens
from monitor.tests.conftest import Parcels, person

BASE = "/api/v1"


class Program:
    """A client with a token, as a program uses it: no cookies."""

    def __init__(self, secret: str) -> None:
        self.client = Client(enforce_csrf_checks=True)
        self.headers = {"Authorization": f"Bearer {secret}"}

    def get(self, path: str, **headers: str) -> HttpResponse:
        return self.client.get(BASE + path, headers=self.headers | headers)

    def head(self, path: str, **headers: str) -> HttpResponse:
        return self.client.head(BASE + path, headers=self.headers | headers)

    def post(self, path: str, body: Any) -> HttpResponse:
        return self.client.post(BASE + path, body, "application/json", headers=self.headers)

    def put(self, path: str, body: Any) -> HttpResponse:
        return self.client.put(BASE + path, body, "application/json", headers=self.headers)

    def delete(self, path: str) -> HttpResponse:
        return self.client.delete(BASE + path, headers=self.headers)


def program(user: User, *rights: str, flows: tuple[str, ...] = ()) -> Program:
    return Program(tokens.create(user, "a program", 30, flows, rights)[1])


def problem(response: HttpResponse, status: int) -> dict[str, Any]:
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"] == "application/problem+json"
    found: dict[str, Any] = response.json()
    assert found["status"] == status and found["detail"]
    return found


@pytest.fixture
def owner(parcels: Parcels, site: None) -> User:
    return person("olga", f"flow:{parcels.flow}:operate", f"flow:{parcels.flow}:repair")


@pytest.fixture
def operator(owner: User) -> Program:
    return program(owner, "operate", "repair", "perform")
