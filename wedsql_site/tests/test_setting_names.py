"""A setting that nothing reads, such as a misspelled one, is reported at the start."""

from __future__ import annotations

import contextlib
import io
import re

import pytest
from django.core.management import CommandError, call_command

from wedsql_site import checks, setting_names
from wedsql_site.environment import CHECKOUT

PACKAGES = ("BaseWorker", "flows", "monitor", "pages", "workers", "wedsql_site")


def read_names() -> set[str]:
    """Return the names that the product's sources have in quotes."""
    found: set[str] = set()
    for path in (one for package in PACKAGES for one in (CHECKOUT / package).rglob("*.py")):
        if "tests" not in path.parts and path.name != "setting_names.py":
            found |= set(re.findall(r"""["'](WEDSQL_[A-Z_]+[A-Z])["']""", path.read_text()))
    return found


def test_the_list_has_every_name_that_is_read_and_no_other() -> None:
    assert read_names() == setting_names.SETTINGS


def test_a_misspelled_setting_is_named_with_the_nearest_one() -> None:
    found = setting_names.unread({"WEDSQL_DEBGU": "1", "WEDSQL_PORT": "1", "WEDSQL_LONG": "1", "HOME": "/"})
    assert found == ["WEDSQL_DEBGU is not a setting, so it has no effect. Did you mean WEDSQL_DEBUG?"]


def test_the_start_and_the_checks_report_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEDSQL_ALOWED_HOSTS", "example.org")
    errors = io.StringIO()
    with contextlib.suppress(CommandError, SystemExit):  # there may be no logs
        call_command("wedsql", "logs", no_follow=True, stdout=io.StringIO(), stderr=errors)
    assert "Did you mean WEDSQL_ALLOWED_HOSTS?" in errors.getvalue()
    assert [one.id for one in checks.every_setting_is_read()] == ["wedsql.W007"]
    monkeypatch.delenv("WEDSQL_ALOWED_HOSTS")
    assert checks.every_setting_is_read() == []
