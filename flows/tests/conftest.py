"""Fixtures of the tests of pages and commands: a logged-in browser and a flow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from flows.tests.commands import FIGURE_TWO, run
from flows.tests.designer import browser
from flows.tests.pages import unique


@pytest.fixture(scope="module", autouse=True)
def no_flow_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Drop the flows and drafts of a file: pages show all that there are, and later tests look at pages."""
    yield
    if connection.settings_dict["NAME"].startswith("test_"):
        blocker: Any = request.getfixturevalue("django_db_blocker")
        with blocker.unblock(), connection.cursor() as cursor:
            cursor.execute("delete from wedsql.draft")
            cursor.execute("select wedsql.drop_flow(f.name, true) from wedsql.flow f")


@pytest.fixture
def alice(db: None) -> Client:
    """The browser of Alice, a superuser."""
    return browser(User.objects.create_superuser("alice"))


@pytest.fixture
def fig2(db: None) -> str:
    """The flow of the paper's figure 2, loaded by alice."""
    name = unique()
    run("loadflow", str(FIGURE_TWO), "--flow", name, "--actor", "alice")
    return name
