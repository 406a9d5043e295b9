"""Fixtures of the tests of pages and commands: a logged-in browser and a flow."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from flows.tests.commands import FIGURE_TWO, run
from flows.tests.designer import browser
from flows.tests.pages import unique


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
