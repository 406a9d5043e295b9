"""`python -m tests.suite.changed [BASE]`: run the tests of what differs from BASE, by default from HEAD.

These are the test files that changed, those that import a changed module, and those that name a function of a
changed SQL file, or that chaos.mutate names for one. Which tests a template has is not known.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from chaos.mutants import mutation
from tests.imports import imports, modules
from tests.suite.parts import CHECKOUT

_FUNCTION = re.compile(r"create or replace function [a-z_]+\.(\w+)")
_MOST = 40


def changed(base: str) -> list[str]:
    """Return the files that differ from this commit and exist."""
    lists = (["diff", "--name-only", base], ["ls-files", "--others", "--exclude-standard"])
    names = [name for arguments in lists for name in _git(arguments)]
    return sorted({name for name in names if (CHECKOUT / name).exists()})


def tests_of(files: Iterable[str]) -> list[str]:
    """Return the test files of these files."""
    names = [*files]
    found = {name for name in names if _is_test(name)}
    found |= {*_importing({name for name in names if name.endswith(".py") and not _is_test(name)})}
    functions = {name for file in names if file.endswith(".sql") for name in _functions(file)}
    return sorted(found | {*_naming(functions)})


def _importing(files: set[str]) -> Iterator[str]:
    """Yield the test files that import one of these modules."""
    known = modules(CHECKOUT)
    paths = {name: path.relative_to(CHECKOUT).as_posix() for name, path in known.items()}
    tests = {name: known[name] for name, path in paths.items() if _is_test(path)}
    for each in imports(known, tests) if files else ():
        if paths[each.imported] in files:
            yield paths[each.importer]


def _naming(functions: set[str]) -> Iterator[str]:
    """Yield the test files of the kernel with the name of one of these functions."""
    if not functions:
        return
    word = re.compile(rf"\b({'|'.join(functions)})\b")
    for path in CHECKOUT.glob("flows/**/test_*.py"):
        if word.search(path.read_text(encoding="utf-8")):
            yield path.relative_to(CHECKOUT).as_posix()
    for each in mutation.read():
        if functions & set(each.change.functions):
            yield mutation.pytest_id(each.tests).partition("::")[0]


def _functions(file: str) -> list[str]:
    return _FUNCTION.findall((CHECKOUT / file).read_text(encoding="utf-8"))


def _is_test(name: str) -> bool:
    return Path(name).name.startswith("test_") and name.endswith(".py")


def _git(arguments: list[str]) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def main() -> int:
    """Run the tests; return pytest's exit code, 0 where nothing has tests."""
    files = changed(sys.argv[1] if len(sys.argv) > 1 else "HEAD")
    tests = tests_of(files)
    if not tests:
        print(f"{', '.join(files) or 'Nothing has changed'}: no tests; make check runs the quick ones")
        return 0
    if len(tests) > _MOST:
        print(f"{len(tests)} files have tests of it, only {_MOST} are run; make test runs all")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--mode", "one", *tests[:_MOST]]
    return subprocess.run(command, cwd=CHECKOUT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
