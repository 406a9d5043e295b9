"""A standby of the first server, which takes over its address after promotion."""

from __future__ import annotations

from pathlib import Path

from testkit.server import Server
from testkit.waiting import until
from wedsql_site.postgres import account, binaries

_SOCKET = ".s.PGSQL.5432"
_TIMEOUT = 30.0


class Standby(Server):
    """Replicates synchronously: what the first server acknowledges is on this one's disk."""

    def __init__(self, home: Path, primary: Server) -> None:
        super().__init__(home)
        self.primary = primary

    def follow(self) -> None:
        """Copy the running server and replicate it from then on."""
        user = account.current()
        user.own_directory(self.cluster.home)
        programs = binaries.reachable(binaries.find(), user)
        source = self.primary.cluster.dsn(database="postgres")
        command = [programs / "pg_basebackup", "-D", self.cluster.data, "-d", source, "-R", "-c", "fast"]
        answer = user.run(command, capture_output=True)
        if answer.returncode:
            raise RuntimeError(f"pg_basebackup: {answer.stderr.strip()}")
        self.start()
        with self.primary.connect() as conn:
            conn.execute("alter system set synchronous_standby_names = '*'")
            conn.execute("select pg_reload_conf()")
        self._wait("select count(*) from pg_stat_replication where sync_state = 'sync'", self.primary)

    def take_over(self) -> None:
        """Replace the failed first server: take its address, like a virtual IP, and promote this one."""
        address = self.primary.cluster.socket / _SOCKET
        address.unlink(missing_ok=True)
        address.symlink_to(self.cluster.socket / _SOCKET)
        with self.connect() as conn:
            conn.execute("select pg_promote()")

    def remove(self) -> None:
        """Delete both servers."""
        super().remove()
        self.primary.remove()

    def _wait(self, query: str, server: Server) -> None:
        with server.connect() as conn:
            until(lambda: conn.execute(query).fetchone() == (1,), _TIMEOUT, "the standby does not follow")
