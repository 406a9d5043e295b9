"""Reads the environment variables; needs neither Django nor a database."""

from __future__ import annotations

import hashlib
import ipaddress
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from flows import project

CHECKOUT = project.SOURCE
ROLES = ("web", "worker", "reaper", "monitor", "admin")
# The kind of a process follows from its command, so that no variable is needed for it.
_COMMANDS = {"wedworker": "worker", "simulate": "web", "runserver": "web"}
_STATE_HINT = "WEDSQL_STATE_DIR names the directory for the database, the secrets and the logs"
_ASGI = "wedsql_site.asgi"
# Seconds for running work to finish when a process is stopped; WEDSQL_STOP_GRACE changes it.
STOP_GRACE = 30
_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}


class BadEnvironment(ValueError):
    """An environment variable has a value that cannot be used."""


def text(name: str, default: str = "") -> str:
    """Return the variable without surrounding blanks; an empty one counts as not set."""
    return os.environ.get(name, "").strip() or default


def flag(name: str, default: bool = False) -> bool:
    """Return True for 1/true/yes/on, False for 0/false/no/off, the default if empty; else BadEnvironment."""
    value = text(name)
    if not value:
        return default
    lowered = value.lower()
    if lowered in _TRUE:
        return True
    if lowered in _FALSE:
        return False
    raise BadEnvironment(f"{name}={value!r} is neither yes nor no; write 1 or 0")


def address(name: str) -> str:
    """Return the variable if it is an address that a link may have; empty if not set; else BadEnvironment."""
    value = text(name)
    if value and not value.startswith(("https://", "http://", "/")):
        raise BadEnvironment(f"{name}={value!r} is no address; begin it with https://, http:// or /")
    return value


def number(name: str, default: int, least: int | None = None, most: int | None = None) -> int:
    """Return a whole number between `least` and `most`; raises BadEnvironment for anything else."""
    given = text(name, str(default))
    try:
        value = int(given)
    except ValueError:
        raise BadEnvironment(f"{name}={given!r} is not a whole number") from None
    if least is not None and value < least:
        raise BadEnvironment(f"{name}={given!r} is too small; {least} is the least")
    if most is not None and value > most:
        raise BadEnvironment(f"{name}={given!r} is too large; {most} is the most")
    return value


def choice(name: str, default: str, options: Sequence[str]) -> str:
    """Return one of `options`; raises BadEnvironment for anything else."""
    value = text(name, default)
    if value not in options:
        raise BadEnvironment(f"{name}={value!r}; it is one of {', '.join(options)}")
    return value


def proxies(name: str, default: int) -> int | tuple[str, ...]:
    """Return the number of trusted proxies, or their networks; raises BadEnvironment for anything else."""
    value = text(name, str(default))
    if value.isdecimal():
        return int(value)
    try:
        return tuple(str(ipaddress.ip_network(network)) for network in value.replace(",", " ").split())
    except ValueError:
        raise BadEnvironment(f"{name}={value!r} is neither a number of proxies nor their networks") from None


def comma_separated(name: str) -> list[str]:
    """Return a comma separated list without empty members."""
    return [member.strip() for member in os.environ.get(name, "").split(",") if member.strip()]


def process() -> str:
    """Return the kind of this process: web, worker, reaper, monitor or admin.

    WEDSQL_PROCESS sets it, otherwise the command: daphne is web, `qcluster` and `wedworker` are workers,
    `qcluster` with Q_CLUSTER_NAME=reaper is the reaper, every other command is admin.
    """
    return choice("WEDSQL_PROCESS", "", ("", *ROLES)) or _of_command(sys.argv)


def _of_command(arguments: Sequence[str]) -> str:
    if any(argument.startswith(_ASGI) for argument in arguments[1:]):
        return "web"
    command = arguments[1] if len(arguments) > 1 else ""
    if command == "qcluster":
        return "reaper" if text("Q_CLUSTER_NAME") == "reaper" else "worker"
    return _COMMANDS.get(command, "admin")


def database_url(role: str) -> str:
    """Return the URI of the role's database: its own variable or DATABASE_URL; '' is the embedded server.

    Raises BadEnvironment if only other roles have one: this process would start a server of its own and use
    another database than the rest.
    """
    own = f"DATABASE_URL_{role.upper()}"
    given = text(own) or text("DATABASE_URL")
    others = [name for name in (f"DATABASE_URL_{other.upper()}" for other in ROLES) if text(name)]
    if not given and others:
        raise BadEnvironment(
            f"{', '.join(others)} set, so no server is started here, but this process of the role {role}"
            f" has no database: set {own} or DATABASE_URL"
        )
    return given


def state_dir() -> Path:
    """Return the directory of this installation's data: database, secrets, logs.

    A relative path is relative to the project directory (flows.project), so that every process of a checkout
    finds the same one, whatever its working directory.
    """
    return (project.directory() / text("WEDSQL_STATE_DIR", "var")).resolve()


def resources(name: str) -> Path:
    """Return the directory `name` of the checkout, or of this package's data in a wheel."""
    return CHECKOUT / name if project.CHECKOUT else Path(__file__).parent / "data" / name


def stop_grace() -> int:
    """Return the seconds for a running handler to finish when its worker is stopped."""
    return number("WEDSQL_STOP_GRACE", STOP_GRACE, least=0, most=86400)


def ensure_directory(path: Path) -> None:
    """Create a directory of this installation; raises BadEnvironment if that fails."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        usable = os.access(path, os.W_OK | os.X_OK)
    except OSError as error:
        raise BadEnvironment(f"cannot make {path}: {error.strerror}; {_STATE_HINT}") from None
    if not usable:
        raise BadEnvironment(f"cannot write to {path}; {_STATE_HINT}")


def short_hash(path: Path) -> str:
    """Return ten characters that identify a directory, for names outside of it."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:10]
