"""Write the dump of a database as a release makes it: flows of every option, instances in every status.

    git worktree add /tmp/release <tag>
    python -m flows.tests.releases.make /tmp/release 1.1.0 --pg /usr/lib/postgresql/15/bin

writes flows/tests/releases/1.1.0.sql.gz; nothing else is needed for a release to be in the upgrade tests.
The programs of the oldest PostgreSQL at hand write a dump that all later ones read.
"""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg

HERE = Path(__file__).parent
FLOWS = [HERE.parent / "sql" / name for name in ("every_option.sql", "offline_round.sql")]
# Each installation fills the vocabulary anew.
_OPTIONS = ("--inserts", "--rows-per-insert=100", "--exclude-table-data=wedsql.vocabulary")
_DSN = "from wedsql_site import postgres; print(postgres.default_cluster().dsn(database='wedsql'))"


def main() -> None:
    """Read the arguments and write the dump."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("checkout", type=Path, help="a checkout of the release")
    parser.add_argument("release", help="its number, which names the dump")
    parser.add_argument("--pg", type=Path, required=True, help="directory of initdb, postgres and pg_dump")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wedsql-release-") as state:
        Path(state).chmod(0o711)
        dump(asked.checkout, asked.pg, state, HERE / f"{asked.release}.sql.gz")


def dump(checkout: Path, programs: Path, state: str, target: Path) -> None:
    """Install the release on a server of its own, fill the database and write its dump."""
    own = {"WEDSQL_STATE_DIR": state, "WED_PG_BIN": str(programs), "WEDSQL_DEMO": "0"}
    strange = ("WEDSQL_", "DATABASE_", "DJANGO_")
    environ = {name: value for name, value in os.environ.items() if not name.startswith(strange)} | own
    environ |= {"DJANGO_SETTINGS_MODULE": "wedsql_site.settings", "PYTHONPATH": str(checkout)}

    def run(*command: str) -> str:
        done = subprocess.run(command, cwd=checkout, env=environ, check=True, capture_output=True, text=True)
        return done.stdout

    try:
        run(sys.executable, "manage.py", "wedsql", "install")
        uri = run(sys.executable, "-c", _DSN).strip()
        with psycopg.connect(uri, autocommit=True) as connection:
            for path in FLOWS:
                connection.execute(path.read_text(encoding="utf-8"))
        text = run(str(programs / "pg_dump"), *_OPTIONS, "--dbname", uri)
    finally:
        run(sys.executable, "manage.py", "wedsql", "stop")
    # Commands of psql (\restrict) are no SQL.
    lines = "".join(line for line in text.splitlines(True) if not line.startswith("\\"))
    target.write_bytes(gzip.compress(lines.encode(), mtime=0))


def read(path: Path) -> str:
    """Return the SQL of a dump."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


if __name__ == "__main__":
    main()
