"""Secrets of this installation, each in a file that only its owner can read."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from flows.management.whole_file import write_whole_text
from wedsql_site import environment


def secret_key() -> str:
    """Return WEDSQL_SECRET_KEY, or a key created once for this installation."""
    return environment.text("WEDSQL_SECRET_KEY") or get_or_create(
        "secret_key", lambda: secrets.token_urlsafe(64)
    )


def get_or_create(name: str, make: Callable[[], str]) -> str:
    """Return the content of `<state>/<name>`, created on first use; concurrent calls agree on one value."""
    path = environment.state_dir() / name
    if not path.exists():
        _publish(path, make())
    return path.read_text().strip()


def read(name: str) -> str | None:
    """Return the content of `<state>/<name>`, None if it does not exist."""
    path = environment.state_dir() / name
    return path.read_text().strip() if path.exists() else None


def _publish(path: Path, value: str) -> None:
    environment.ensure_directory(path.parent)
    with suppress(FileExistsError):  # another process was first; its value is used
        write_whole_text(path, value + "\n", mode=0o600, new=True)
