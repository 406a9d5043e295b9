"""Small secrets of this installation, each in a file that only its owner can read."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path

from wedsql_site import environment


def secret_key() -> str:
    """WEDSQL_SECRET_KEY, or a key made once for this installation."""
    return environment.text("WEDSQL_SECRET_KEY") or once("secret_key", lambda: secrets.token_urlsafe(64))


def once(name: str, make: Callable[[], str]) -> str:
    """The content of `<state>/<name>`, made on first use; concurrent makers agree on one value."""
    path = environment.state_dir() / name
    if not path.exists():
        _publish(path, make())
    return path.read_text().strip()


def kept(name: str) -> str | None:
    """The content of `<state>/<name>`, None when it was never made."""
    path = environment.state_dir() / name
    return path.read_text().strip() if path.exists() else None


def _publish(path: Path, value: str) -> None:
    environment.ensure_directory(path.parent)
    descriptor, scratch = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(descriptor, "w") as handle:
        handle.write(value + "\n")
    try:
        os.link(scratch, path)
    except FileExistsError:
        return  # another process was first, and its value counts
    finally:
        os.unlink(scratch)
