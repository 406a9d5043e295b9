"""Steps before the first process starts: the database, its tables and roles, a log-in, the demo."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from django.contrib.auth import get_user_model
from django.core.management import call_command, get_commands
from django.db import OperationalError, connection

from flows import kernel
from wedsql_site import environment, postgres, secrets_store
from wedsql_site.ondemand import uses_embedded

ADMIN = "admin"
_PASSWORD_FILE = "admin_password"  # noqa: S105 - the name of a file
_OWNED = "postgres.owned"


@dataclass(frozen=True)
class Login:
    """The log-in of the first superuser; `password` is None if it was changed."""

    name: str
    password: str | None


def start_database() -> None:
    """Start the embedded server if this installation uses it, and mark it as started by the supervisor."""
    if not uses_embedded() or postgres.is_running():
        return
    postgres.ensure_running()
    (environment.state_dir() / _OWNED).touch()


def stop_database(always: bool = False) -> bool:
    """Stop the embedded server if a supervisor started it (or `always`); return True if it was stopped."""
    mark = environment.state_dir() / _OWNED
    if not (always or mark.exists()):
        return False
    mark.unlink(missing_ok=True)
    return postgres.stop()


def wait_for_database(echo: Callable[[str], None], seconds: float = 60.0) -> None:
    """Return when the database answers; show the first error, and raise the last after `seconds`."""
    deadline = time.monotonic() + seconds
    reported = False
    while True:
        try:
            connection.ensure_connection()
            return
        except OperationalError as error:
            if time.monotonic() > deadline:
                raise
            if not reported:
                echo(f"The database does not answer, waiting up to {seconds:.0f} s: {str(error).strip()}")
                reported = True
            time.sleep(0.5)


def install() -> None:
    """Bring tables, kernel and privileges up to date; changes nothing if they are.

    Its commits wait for no disk: after a power failure the database is as after one of them, and the next
    start goes on from there.
    """
    with connection.cursor() as cursor:
        cursor.execute("set synchronous_commit = off")
        call_command("migrate", interactive=False, verbosity=0)
        install_roles()
        cursor.execute("reset synchronous_commit")


def report_missing_grants(echo: Callable[[str], None]) -> None:
    """Show the statements that a superuser must run, if the installing role was not allowed to."""
    missing = kernel.missing_grants(connection)
    if missing:
        echo("Warning: overdue sessions are not ended, or the disk is not watched, until a superuser runs:")
        for statement in missing:
            echo(f"  {statement};")


def install_roles() -> bool:
    """Create the runtime roles and grant each what it needs; False if no kernel is installed."""
    return kernel.install_roles(connection)


def ensure_login() -> Login:
    """Create the superuser `admin` if there is no superuser."""
    users = get_user_model()._default_manager
    if not users.filter(is_superuser=True).exists():
        password = secrets_store.get_or_create(_PASSWORD_FILE, lambda: secrets.token_urlsafe(12))
        get_user_model().objects.create_superuser(ADMIN, password=password)
        return Login(ADMIN, password)
    admin = users.filter(username=ADMIN).first()
    known = secrets_store.read(_PASSWORD_FILE)
    return Login(ADMIN, known if admin and known and admin.check_password(known) else None)


def load_demo() -> None:
    """Define the demo flows that do not exist, with open cases in a shop without orders."""
    if "loaddemo" in get_commands():
        call_command("loaddemo", cases=True, verbosity=0)
