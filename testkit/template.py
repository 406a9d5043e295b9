"""The files of a server with all databases of the tests: made once per version of the code, copied per run.

`python -m testkit.template SETTINGS DIRECTORY` makes those for a server with these settings (JSON).
Installing the kernel and running the migrations takes longer than most test files.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from testkit import kernel_db
from testkit.server import Server, new_directory
from wedsql_site import environment, postgres
from wedsql_site.postgres import Cluster, account, binaries

# What the databases are made of.
_SOURCES = (
    "flows/sql/**/*.sql", "flows/capabilities/*/sql/*.sql", "flows/migrations/*.py",
    "monitor/migrations/*.py", "flows/kernel.py", "flows/grants.py", "flows/tables.py",
    "testkit/template.py", "testkit/kernel_db.py", "testkit/fake_clock.sql", "wedsql_site/apps.py",
    "wedsql_site/settings.py", "wedsql_site/database.py", "wedsql_site/supervisor/preparation.py",
    "requirements-dev.lock",
)  # fmt: skip
_MOST = 6


def fill(cluster: Cluster, settings: dict[str, str]) -> None:
    """Give a cluster that was never started the files of the template for these settings, made if missing."""
    place = _directory(settings)
    with _locked(place):
        if not (place / "data").exists():
            _remove_old(place.parent)
            make = [sys.executable, "-m", "testkit.template", json.dumps(settings), str(place)]
            subprocess.run(make, cwd=environment.CHECKOUT, check=True, stdin=subprocess.DEVNULL)
    os.utime(place)
    account.current().own_directory(cluster.home)
    subprocess.run(["cp", "-a", str(place / "data"), str(cluster.data)], check=True)


def make(settings: dict[str, str], place: Path) -> None:
    """Make the template in a temporary directory and move it to its place."""
    home = new_directory("wedsql-test-template-")
    os.environ["WEDSQL_STATE_DIR"] = str(home)
    with Server(home, settings) as server:
        _make_kernels(server.dsn())
        if "datestyle" not in settings:  # with hostile settings, Django cannot read times
            _migrate()
        _vacuum(server)
        postgres.stop(server.cluster)
        subprocess.run(["cp", "-a", str(server.cluster.data), str(place / "data.new")], check=True)
    (place / "data.new").rename(place / "data")


def _make_kernels(uri: str) -> None:
    """Create a database with the kernel, and a copy of it with the clock of the tests."""
    with psycopg.connect(uri, autocommit=True) as admin:
        kernel_db.create(admin, kernel_db.PLAIN)
        with psycopg.connect(make_conninfo(uri, dbname=kernel_db.PLAIN)) as connection:
            kernel_db.install(connection)
        kernel_db.create(admin, kernel_db.CLOCKED, kernel_db.PLAIN)
        with psycopg.connect(make_conninfo(uri, dbname=kernel_db.CLOCKED)) as connection:
            connection.execute(kernel_db.FAKE_CLOCK.read_text(encoding="utf-8"))


def _vacuum(server: Server) -> None:
    """Leave nothing to do for the autovacuum of each copy."""
    with psycopg.connect(server.dsn()) as admin:
        names = [name for (name,) in admin.execute("select datname from pg_database where datallowconn")]
    for name in names:
        with psycopg.connect(make_conninfo(server.dsn(), dbname=name), autocommit=True) as connection:
            connection.execute("vacuum (analyze)")


def _migrate() -> None:
    """Create the database of Django's tests."""
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "wedsql_site.settings"
    django.setup()
    from django.db import connections
    from django.test.utils import setup_databases

    from wedsql_site.supervisor import preparation

    setup_databases(verbosity=0, interactive=False, aliases={"default": None})
    preparation.install_roles()
    connections.close_all()


def _directory(settings: dict[str, str]) -> Path:
    """Return the place of the template for these settings, the code as it is, and the chosen programs."""
    total = hashlib.sha256(json.dumps([settings, str(binaries.find())]).encode())
    for pattern in _SOURCES:
        for path in sorted(environment.CHECKOUT.glob(pattern)):
            total.update(path.as_posix().encode() + path.read_bytes())
    place = environment.CHECKOUT / "var" / "tests" / "templates" / total.hexdigest()[:16]
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    return place


def _remove_old(directory: Path) -> None:
    """Delete the templates that were not used for the longest time."""
    found = sorted(directory.iterdir(), key=lambda path: path.stat().st_mtime)
    for path in found[:-_MOST]:
        shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def _locked(place: Path) -> Iterator[None]:
    with (place / "lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    make(json.loads(sys.argv[1]), Path(sys.argv[2]))
