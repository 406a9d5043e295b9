"""Say which files of a folder the import accepts, as a table: python -m tests.bpmn_folder FOLDER

A file is accepted if each of its processes could be published as it is; warnings are allowed. Nothing is
published. The checks run in a database of their own, as those of the tests do.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from wedsql_site.environment import CHECKOUT


def main() -> int:
    """Run the checks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the files are, also in folders within it")
    parser.add_argument("--output", type=Path, help="where to write the table (standard output)")
    options = parser.parse_args()
    if not options.folder.is_dir():
        parser.error(f"{options.folder} is no folder.")
    environ = {**os.environ, "WEDSQL_BPMN_FOLDER": str(options.folder.resolve())}
    if options.output:
        environ["WEDSQL_BPMN_TABLE"] = str(options.output.resolve())
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider"]
    checked = "flows/tests/bpmn/files/bpmn_folder.py"
    return subprocess.run([*command, checked], cwd=CHECKOUT, env=environ, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
