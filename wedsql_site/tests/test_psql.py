"""psql on the installation's database, whether or not the embedded server is running."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from wedsql_site import environment, postgres


def test_psql_starts_the_embedded_database(place: Path, fresh: postgres.Cluster) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("DATABASE_")}
    answer = subprocess.run(
        [sys.executable, "manage.py", "wedsql", "psql", "--", "-XAtc", "select current_database()"],
        cwd=environment.CHECKOUT,
        env=clean | {"WEDSQL_STATE_DIR": str(place)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (answer.returncode, answer.stdout) == (0, "wedsql\n"), answer.stderr
