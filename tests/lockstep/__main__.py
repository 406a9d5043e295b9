"""Walk through processes in BPMN beside another engine, step by step: python -m tests.lockstep FILE...

Each process of the files, or of the files of a folder, is walked through at random, here and in
SpiffWorkflow: after each step both must offer the same tasks and wait for the same events. What is compared
is the token game: times, data and expressions are replaced by decisions of the walk
(flows/tests/bpmn/files/skeletons.py). It installs SpiffWorkflow in a temporary folder, or uses the
interpreter of --python.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from wedsql_site.environment import CHECKOUT

SPIFF = "SpiffWorkflow==3.2.0"
_WALKS = "flows/tests/kernel/bpmn/lockstep_walks.py"
_ENDINGS = (".bpmn", ".bpmn2", ".xml")


def main() -> int:
    """Walk, and print where the engines differ; return 1 if they do."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, help="files, or folders of files")
    parser.add_argument("--walks", type=int, default=20, help="walks through each process (20)")
    parser.add_argument("--python", help="an interpreter that has SpiffWorkflow")
    parser.add_argument("--output", type=Path, help="where the results are kept, a line of JSON a process")
    options = parser.parse_args()
    files = [*_files(options.files)]
    if not files:
        parser.error("There are no such files.")
    with tempfile.TemporaryDirectory() as name:
        results = options.output or Path(name) / "results"
        results.write_text("", encoding="utf-8")
        failed = _walk(files, options.python or _installed(Path(name)), options.walks, results.resolve())
        return _report(results) or failed


def _files(given: Sequence[Path]) -> Iterator[Path]:
    for each in given:
        found = sorted(each.rglob("*")) if each.is_dir() else [each]
        yield from (path.resolve() for path in found if path.suffix in _ENDINGS)


def _installed(folder: Path) -> str:
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", SPIFF], check=True)
    return str(python)


def _walk(files: Sequence[Path], python: str, walks: int, results: Path) -> int:
    environ = {
        **os.environ,
        "WEDSQL_LOCKSTEP_FILES": json.dumps([str(each) for each in files]),
        "WEDSQL_LOCKSTEP_PYTHON": python,
        "WEDSQL_LOCKSTEP_WALKS": str(walks),
        "WEDSQL_LOCKSTEP_RESULTS": str(results),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", _WALKS]
    return subprocess.run(command, cwd=CHECKOUT, env=environ, check=False).returncode


def _report(results: Path) -> int:
    found: list[dict[str, Any]] = [
        json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()
    ]
    walked = [each for each in found if "skipped" not in each]
    differing = [each for each in walked if each.get("differences")]
    for each in found:
        _print_process(each)
    walks, steps = (sum(each[name] for each in found) for name in ("walks", "steps"))
    print(
        f"{len(walked)} of {len(found)} processes walked through, {walks} times, {steps} steps; "
        f"{len(differing)} differ."
    )
    return int(bool(differing))


def _print_process(found: dict[str, Any]) -> None:
    name = f"{found['file']}, {found['process']}"
    if "skipped" in found:
        print(f"{name}: {' '.join(found['skipped'].split())[:300]}")
    for each in found.get("differences", [])[:1]:
        print(f"{name}: {len(found['differences'])} of {found['walks']} walks differ, such as")
        print(f"    after {', '.join(each['path']) or 'the start'}")
        print(f"    here {_offered(each['ours'])}; SpiffWorkflow {_offered(each['theirs'])}")


def _offered(side: dict[str, Any]) -> str:
    return str(side.get("error") or ("the end" if side["done"] else ", ".join(side["waits"]) or "nothing"))


if __name__ == "__main__":
    sys.exit(main())
