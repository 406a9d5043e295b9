"""Reads the process environment once, in one place; needs neither Django nor a database."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
ROLES = ("web", "worker", "reaper", "monitor", "admin")
_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off", ""}


class BadEnvironment(ValueError):
    """An environment variable has a value that cannot be used."""


def text(name: str, default: str = "") -> str:
    """The variable without surrounding blanks; an empty one counts as not given."""
    return os.environ.get(name, "").strip() or default


def flag(name: str, default: bool = False) -> bool:
    """True for 1/true/yes/on, False for 0/false/no/off; raises BadEnvironment for anything else."""
    value = os.environ.get(name)
    if value is None:
        return default
    word = value.strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise BadEnvironment(f"{name}={value!r} is neither yes nor no; write 1 or 0")


def number(name: str, default: int) -> int:
    """A whole number; raises BadEnvironment for anything else."""
    value = text(name, str(default))
    try:
        return int(value)
    except ValueError:
        raise BadEnvironment(f"{name}={value!r} is not a whole number") from None


def words(name: str) -> list[str]:
    """A comma separated list without empty members."""
    return [word.strip() for word in os.environ.get(name, "").split(",") if word.strip()]


def process() -> str:
    """What this process is: web, worker, reaper, monitor or admin (the default)."""
    role = text("WEDSQL_PROCESS", "admin")
    if role not in ROLES:
        raise BadEnvironment(f"WEDSQL_PROCESS={role!r}; it is one of {', '.join(ROLES)}")
    return role


def state_dir() -> Path:
    """The directory for everything this installation keeps: database, secrets, logs."""
    return Path(text("WEDSQL_STATE_DIR", str(CHECKOUT / "var"))).resolve()


def short_hash(path: Path) -> str:
    """Ten characters that tell two directories apart, for names outside of them."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:10]
