"""Fixtures of the tests of pages and commands: a logged-in browser and a flow."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from flows.tests.commands import FIGURE_TWO, run
from flows.tests.designer import browser
from flows.tests.pages import unique


@pytest.fixture
def alice(db: None) -> Client:
    """The browser of Alice, a superuser."""
    return browser(User.objects.create_superuser("alice"))


@pytest.fixture(scope="module")
def standing_fig2(standing: Callable[[Callable[[], str]], str]) -> str:
    """The flow of figure 2 that the tests of a module share if what they do to it is rolled back."""
    return standing(loaded_fig2)


@pytest.fixture
def fig2(standing_fig2: str, request: pytest.FixtureRequest, db: None) -> str:
    """The flow of the paper's figure 2, loaded by alice."""
    mark = request.node.get_closest_marker("django_db")
    commits = "transactional_db" in request.fixturenames or (mark and mark.kwargs.get("transaction"))
    cache.clear()  # it has what other tests have done with the flow
    return loaded_fig2() if commits else standing_fig2


def loaded_fig2() -> str:
    """Load the flow of figure 2 and return its name."""
    name = unique()
    run("loadflow", str(FIGURE_TWO), "--flow", name, "--actor", "alice")
    return name
