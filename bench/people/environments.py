"""An environment for each library, with the packages that its file pins, in the folder of the run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def made(folder: Path, name: str) -> str:
    """Create an environment with the packages of NAME.txt once, return its Python; RuntimeError if not."""
    place = folder / f"peer-{name}"
    python = str(place / "bin" / "python")
    if place.exists():
        return python
    _run("venv", "--quiet", "--python", sys.executable, str(place))
    _run("pip", "install", "--quiet", "--python", python, "--requirement", str(HERE / f"{name}.txt"))
    return python


def versions(name: str) -> dict[str, str]:
    """Return the packages that a library's file pins."""
    lines = (HERE / f"{name}.txt").read_text().split()
    return dict(line.split("==", 1) for line in lines)


def _run(*arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "uv", *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"uv {arguments[0]} failed: {done.stderr.strip()[-300:]}")
