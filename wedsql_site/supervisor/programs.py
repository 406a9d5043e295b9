"""The processes of an installation: command, role, log."""

from __future__ import annotations

import http.client
import ipaddress
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from wedsql_site import environment
from wedsql_site.supervisor import processes

# Seconds that a process needs to end after it has killed its hanging children.
KILL_MARGIN = 5.0
_MANAGE = "wedsql_site"


@dataclass(frozen=True)
class Program:
    """One process to keep running: `python -m module arguments`.

    `role` is its WEDSQL_PROCESS, `grace` its seconds to end by itself. `imports` is a module that it may
    import before there is a database.
    """

    name: str
    module: str
    arguments: tuple[str, ...]
    role: str
    grace: float = 10.0
    extra: dict[str, str] = field(default_factory=dict)
    imports: str = ""

    @property
    def command(self) -> tuple[str, ...]:
        return (sys.executable, "-m", self.module, *self.arguments)

    def environ(self) -> dict[str, str]:
        own = {
            "WEDSQL_PROCESS": self.role,
            "PYTHONUNBUFFERED": "1",
            "DJANGO_SETTINGS_MODULE": "wedsql_site.settings",
            "WEDSQL_STATE_DIR": str(environment.state_dir()),
            processes.VARIABLE: processes.mark(self.name),
        }
        return {**os.environ, **own, **self.extra}

    def log(self) -> Path:
        return log_dir() / f"{self.name}.log"


@dataclass(frozen=True)
class Address:
    """Where the web process listens."""

    host: str
    port: int

    @property
    def url(self) -> str:
        return f"http://{f'[{self._near}]' if ':' in self._near else self._near}:{self.port}/"

    def answers(self) -> bool:
        """Return whether a web process answers there without a server error."""
        connection = http.client.HTTPConnection(self._near, self.port, timeout=5)
        try:
            connection.request("GET", "/accounts/login/")
            return connection.getresponse().status < 500
        except OSError:
            return False
        finally:
            connection.close()

    @property
    def loopback(self) -> bool:
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def private(self) -> bool:
        """Return whether only users of this machine reach the address."""
        return self.loopback and not environment.flag("WEDSQL_BEHIND_PROXY")

    @property
    def _near(self) -> str:
        """The host under which this machine reaches the address."""
        return "127.0.0.1" if self.host in {"0.0.0.0", "::", ""} else self.host  # noqa: S104 - compared, not bound


def address() -> Address:
    """Return the address of WEDSQL_HOST and WEDSQL_PORT."""
    port = environment.number("WEDSQL_PORT", 8000, least=1, most=65535)
    return Address(environment.text("WEDSQL_HOST", "127.0.0.1"), port)


def log_dir() -> Path:
    """Return the directory of the processes' logs."""
    return environment.state_dir() / "log"


def all_programs(where: Address, demo: bool) -> list[Program]:
    """Return all programs that `wedsql up` keeps running."""
    programs = [
        _web(where),
        Program("worker", _MANAGE, ("qcluster",), "worker", _worker_grace(), {"Q_CLUSTER_NAME": "wedsql"}),
        Program("reaper", _MANAGE, ("qcluster",), "reaper", extra={"Q_CLUSTER_NAME": "reaper"}),
    ]
    if demo:
        programs.append(Program("simulate", _MANAGE, ("simulate",), "web", grace=3.0))
    return programs


def index_builder() -> Program:
    """Return the program that creates the indexes that were requested, and ends."""
    return Program("indexes", _MANAGE, ("flow", "index", "--build"), "admin")


def _web(where: Address) -> Program:
    arguments = ["-b", where.host, "-p", str(where.port), "--no-server-name"]
    arguments += ["-v", "0"]  # its access log would have queries, with values of states
    behind_proxy = environment.flag("WEDSQL_BEHIND_PROXY")
    # On a loopback address without a proxy there is no TLS.
    plain = where.loopback and not behind_proxy and not environment.text("WEDSQL_HTTPS")
    extra = {"WEDSQL_HTTPS": "0"} if plain else {}
    arguments.append("wedsql_site.asgi:application")
    return Program(
        "web", "daphne", tuple(arguments), "web", extra=extra, imports="wedsql_site.web.web_modules"
    )


def _worker_grace() -> float:
    """Return the seconds after which the cluster, which ends its handlers itself, is killed."""
    return environment.stop_grace() + KILL_MARGIN
