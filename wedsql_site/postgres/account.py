"""The system user of the server: PostgreSQL refuses to run as root, so root uses `wedpg`."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wedsql_site.postgres.errors import PostgresError

SERVICE_USER = "wedpg"


@dataclass(frozen=True)
class Account:
    """The user that owns the server; `switch`: its commands must change to that user."""

    uid: int
    gid: int
    switch: bool

    def run(self, command: Sequence[object], **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a command as this user in `/`, as its directories may be private; ignores the exit code."""
        if self.switch:
            options |= {"user": self.uid, "group": self.gid, "extra_groups": []}
        return subprocess.run(
            [str(part) for part in command],
            cwd="/",
            env={"LC_ALL": "C.UTF-8", "PATH": os.environ.get("PATH", os.defpath), "TZ": "UTC"},
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
            **options,
        )

    def own_directory(self, path: Path) -> None:
        """Create or change `path` into a directory that only this user can enter."""
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.switch:
            os.chown(path, self.uid, self.gid)
        path.chmod(0o700)

    def can_reach(self, path: Path) -> bool:
        """Return whether this user can enter every directory above `path`."""
        return not self.switch or all(_open_to_all(parent) for parent in path.parents)


def current() -> Account:
    """Return the account of this process, or for root the service user (created if missing)."""
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid(), switch=False)
    entry = _lookup() or _create()
    return Account(entry.pw_uid, entry.pw_gid, switch=True)


def _open_to_all(directory: Path) -> bool:
    try:
        return bool(directory.stat().st_mode & stat.S_IXOTH)
    except (FileNotFoundError, NotADirectoryError):
        return True  # created later with the right mode, or the error is raised there


def _lookup() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(SERVICE_USER)
    except KeyError:
        return None


def _create() -> pwd.struct_passwd:
    tool = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if tool:
        subprocess.run([tool, "--system", "--no-create-home", SERVICE_USER], capture_output=True, check=False)
    entry = _lookup()
    if entry is None:
        raise PostgresError(
            f"PostgreSQL does not run as root and the system user {SERVICE_USER!r} could not be created. "
            f"Create it (useradd --system {SERVICE_USER}), run as an ordinary user, or set DATABASE_URL."
        )
    return entry
