"""Settings from the environment; production settings pass Django's deployment check."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core import checks
from django.core.management import call_command

from wedsql_site import database, environment, secrets_store

CHECKOUT = Path(settings.BASE_DIR)
PRODUCTION = {
    "DATABASE_URL": "postgresql://wed_web:hidden@db.example/wedsql",
    "WEDSQL_SECRET_KEY": "production-" + "k7Q2zA9xWv" * 6,
    "WEDSQL_ALLOWED_HOSTS": "wed.example.org",
    "WEDSQL_BEHIND_PROXY": "1",
    "WEDSQL_PROCESS": "web",
}


def manage(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("WEDSQL_", "DATABASE_"))
    }
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(
        command, cwd=CHECKOUT, env=clean | environ, capture_output=True, text=True, check=False
    )


def test_production_settings_pass_the_deployment_check(tmp_path: Path) -> None:
    answer = manage(
        "check", "--deploy", "--fail-level", "WARNING", WEDSQL_STATE_DIR=str(tmp_path), **PRODUCTION
    )
    assert answer.returncode == 0, answer.stderr


def test_the_deployment_check_reports_debug_mode(tmp_path: Path) -> None:
    environ = PRODUCTION | {"WEDSQL_DEBUG": "1"}
    answer = manage("check", "--deploy", "--fail-level", "WARNING", WEDSQL_STATE_DIR=str(tmp_path), **environ)
    assert answer.returncode != 0
    assert "security.W018" in answer.stderr


@pytest.mark.parametrize("value", ["", "  "])
def test_an_empty_flag_counts_as_not_given(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEDSQL_HTTPS", value)
    assert environment.flag("WEDSQL_HTTPS", default=True) is True
    assert environment.flag("WEDSQL_HTTPS", default=False) is False


def test_an_error_of_a_wrong_uri_hides_the_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://wed:geheim@host:not-a-port:%zz/x")
    with pytest.raises(environment.BadEnvironment) as caught:
        database.default("web")
    assert "geheim" not in str(caught.value)


def test_each_role_has_its_own_limits_and_connection_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://any@db.example/wedsql?sslmode=require")
    monkeypatch.setenv("DATABASE_URL_WORKER", "postgresql://wed_worker@db.example/wedsql")
    web, worker, admin = (database.default(role) for role in ("web", "worker", "admin"))
    assert "pool" in web["OPTIONS"] and web["CONN_MAX_AGE"] == 0
    assert "pool" not in worker["OPTIONS"] and worker["CONN_MAX_AGE"] == 60
    assert (web["USER"], worker["USER"]) == ("any", "wed_worker")
    assert web["OPTIONS"]["sslmode"] == "require"
    assert "statement_timeout=5s" in web["OPTIONS"]["options"]
    assert "statement_timeout=30s" in worker["OPTIONS"]["options"]
    assert "statement_timeout=0s" in admin["OPTIONS"]["options"]
    for one in (web, worker, admin):
        assert "search_path=wedsql" in one["OPTIONS"]["options"] and "jit=off" in one["OPTIONS"]["options"]


def test_the_embedded_server_gives_each_role_its_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    users = {role: database.default(role)["USER"] for role in environment.ROLES}
    assert users == {
        "web": "wed_web",
        "worker": "wed_worker",
        "reaper": "wed_reaper",
        "monitor": "wed_monitor",
        "admin": "wed",
    }


def test_a_secret_is_made_once_and_kept_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEDSQL_STATE_DIR", str(tmp_path))
    monkeypatch.delenv("WEDSQL_SECRET_KEY")
    first = secrets_store.secret_key()
    assert len(first) > 50
    assert secrets_store.secret_key() == first
    assert (tmp_path / "secret_key").stat().st_mode & 0o077 == 0
    assert secrets_store.get_or_create("secret_key", lambda: "another") == first


def test_a_cluster_that_retries_too_early_is_an_error(settings: Any) -> None:
    assert [found.id for found in checks.run_checks()] == []
    settings.Q_CLUSTER = {**settings.Q_CLUSTER, "timeout": 60, "retry": 60}
    assert "wedsql.E010" in [found.id for found in checks.run_checks()]


@pytest.mark.django_db
def test_no_model_waits_for_its_migration() -> None:
    call_command("makemigrations", check_changes=True, dry_run=True, verbosity=0)
