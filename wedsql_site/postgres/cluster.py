"""An embedded cluster: its files and its connection URI."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from wedsql_site import environment
from wedsql_site.postgres import account, binaries

SUPERUSER = "wed"
DATABASE = "wedsql"
# The path of a socket may have 107 bytes; PostgreSQL appends this name to the directory.
_SOCKET_NAME = "/.s.PGSQL.5432"
_SOCKET_LIMIT = 107


@dataclass(frozen=True)
class Cluster:
    """A data directory with its socket, log and lock.

    `programs` is the directory of the PostgreSQL binaries (None: found by `binaries.find`);
    `settings` are added to the server's configuration.
    """

    home: Path
    programs: Path | None = None
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def log(self) -> Path:
        return self.home / "postgres.log"

    @property
    def lock(self) -> Path:
        """The lock file, beside the home: the service user owns the home, and root the lock."""
        return self.home.with_name(f"{self.home.name}.lock")

    @property
    def pid_file(self) -> Path:
        return self.data / "postmaster.pid"

    @property
    def socket(self) -> Path:
        """The socket's directory: in the home, or in /tmp if that path is too long."""
        inside = self.home / "run"
        if len(str(inside)) + len(_SOCKET_NAME) <= _SOCKET_LIMIT:
            return inside
        return Path("/tmp") / f"wedsql-{environment.short_hash(self.home)}"  # noqa: S108 - owner is verified

    def dsn(self, user: str = SUPERUSER, database: str = DATABASE) -> str:
        """Return a connection URI for this cluster; without a password, the socket's directory is private."""
        return f"postgresql://{quote(user)}@/{quote(database)}?host={quote(str(self.socket), safe='/')}"


def default_cluster() -> Cluster:
    """Return the cluster of this installation's state directory."""
    return Cluster(home_in(environment.state_dir()))


def home_in(state: Path) -> Path:
    """Return `<state>/postgres`, or a directory below /var/lib if root's service user cannot enter that."""
    home = state / "postgres"
    if account.current().can_reach(home):
        return home
    return binaries.SHARED_HOME / f"installation-{environment.short_hash(state)}" / "postgres"
