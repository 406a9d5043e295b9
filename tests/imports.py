"""Read the imports between modules from the sources, including those inside functions."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Import:
    """A module of the project that imports another one."""

    importer: str
    imported: str
    at_run_time: bool
    """whether the statement is executed; those under TYPE_CHECKING are not"""


def modules(root: Path = ROOT) -> dict[str, Path]:
    """Return every module of the project by its dotted name, and a package by its own name."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    present = [Path(name) for name in listed if (root / name).exists()]
    return {_dotted(path): root / path for path in present}


def _dotted(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(found: dict[str, Path], read: dict[str, Path] | None = None) -> Iterator[Import]:
    """Yield the imports between these modules; a name taken from a package counts as its submodule's.

    `read` are those whose imports are read, all if it is not given.
    """
    for importer, path in (found if read is None else read).items():
        tree = ast.parse(path.read_text(), path.name)
        for node, at_run_time in _statements(tree):
            for name in _names(node):
                known = name if name in found else name.rpartition(".")[0]
                if known in found and known != importer:
                    yield Import(importer, known, at_run_time)


def _statements(tree: ast.AST, at_run_time: bool = True) -> Iterator[tuple[ast.stmt, bool]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, at_run_time
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _statements(node, at_run_time=False)
        else:
            yield from _statements(node, at_run_time)


def _names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    assert isinstance(node, ast.ImportFrom)
    assert node.level == 0, "imports are absolute"
    return [f"{node.module}.{alias.name}" for alias in node.names]
