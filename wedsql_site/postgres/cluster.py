"""One embedded cluster: where its files lie and how it is reached."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from wedsql_site import environment
from wedsql_site.postgres import account, binaries

SUPERUSER = "wed"
DATABASE = "wedsql"
# A socket's path may have 107 bytes; PostgreSQL adds this name to the directory.
_SOCKET_NAME = "/.s.PGSQL.5432"
_SOCKET_LIMIT = 107


@dataclass(frozen=True)
class Cluster:
    """A data directory with its socket, log and lock.

    `programs` names the directory of the PostgreSQL binaries (None: found by the rules of `binaries.find`);
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
        """Beside the home, because root keeps it there while the service user owns the home itself."""
        return self.home.with_name(f"{self.home.name}.lock")

    @property
    def pid_file(self) -> Path:
        return self.data / "postmaster.pid"

    @property
    def socket(self) -> Path:
        """The socket's directory: in the home, or where its path is short enough."""
        inside = self.home / "run"
        if len(str(inside)) + len(_SOCKET_NAME) <= _SOCKET_LIMIT:
            return inside
        return Path("/tmp") / f"wedsql-{environment.short_hash(self.home)}"  # noqa: S108 - owner is verified

    def dsn(self, user: str = SUPERUSER, database: str = DATABASE) -> str:
        """A connection URI for this cluster; no password, the socket's directory is the lock."""
        return f"postgresql://{quote(user)}@/{quote(database)}?host={quote(str(self.socket), safe='/')}"


def default_cluster() -> Cluster:
    """The cluster of this installation's state directory."""
    return Cluster(home_in(environment.state_dir()))


def home_in(state: Path) -> Path:
    """`<state>/postgres`, or a place below /var/lib when root's server user cannot get there."""
    home = state / "postgres"
    if account.current().can_reach(home):
        return home
    return binaries.SHARED_HOME / f"installation-{environment.short_hash(state)}" / "postgres"
