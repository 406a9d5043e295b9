"""A state directory is the same directory, from any working directory and however it is written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from wedsql_site import environment
from wedsql_site.supervisor import processes, programs

ASK = "from wedsql_site import environment; print(environment.state_dir())"


@pytest.mark.parametrize("given", ["", "state", "./a/../state", "/tmp/state"])  # noqa: S108  # only named
def test_it_does_not_depend_on_the_current_directory(given: str, tmp_path: Path) -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", ASK],
            cwd=folder,
            env=os.environ | {"WEDSQL_STATE_DIR": given, "PYTHONPATH": str(environment.CHECKOUT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for folder in (tmp_path, environment.CHECKOUT, "/")
    }
    assert found == {str((environment.CHECKOUT / (given or "var")).resolve())}


def test_every_program_gets_the_state_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEDSQL_STATE_DIR", "state")
    where = str(environment.CHECKOUT / "state")
    for program in programs.all_programs(programs.address(), demo=True):
        variables = program.environ()
        assert variables["WEDSQL_STATE_DIR"] == where
        assert variables[processes.VARIABLE] == f"{program.name}@{where}"
