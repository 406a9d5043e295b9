"""The parts of the suite: which tests run with which options, and what each part proves (docs/testing.md)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wedsql_site import environment
from wedsql_site.postgres import binaries

CHECKOUT = environment.CHECKOUT
_EVERY_MODE = ("--mode", "all")
_ONE_MODE = ("--mode", "one")
_HOSTILE = ("--settings", "hostile")
_DEBIAN = ("--pg", "debian")
_HERE = ("--share", "here")
_ELSEWHERE = ("--share", "elsewhere")
_KERNEL = "kernel and not isolation"


@dataclass(frozen=True)
class Part:
    """Tests below `places` with these marks, run with these options of pytest."""

    name: str
    marks: str
    places: tuple[str, ...]
    options: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    """instead of tests: modules of Python with their arguments; each counts as a test"""

    def files(self) -> list[str]:
        """Return the test files, relative to the checkout, in order."""
        found: list[Path] = []
        for place in self.places:
            path = CHECKOUT / place
            found += [path] if path.is_file() else path.rglob("test_*.py")
        return sorted({path.relative_to(CHECKOUT).as_posix() for path in found})


STATIC = Part(
    "static",
    "",
    (),
    commands=("mypy .", "ruff check .", "tests.wording", "compileall -q -x /(\\.venv|var)/ ."),
)


def short() -> list[Part]:
    """Return the parts of `make test`: each of the kernel's tests once, some of them on another server."""
    other = binaries.from_system() is not None
    parts = [
        STATIC,
        Part("kernel", _KERNEL, ("flows", "tests"), (*_ONE_MODE, *(_HERE if other else ()))),
        Part("orders", "isolation", ("tests/isolation",), _ONE_MODE),
        Part("pages", "not chaos and not kernel", ("flows", "pages", "monitor")),
        Part("processes", "not chaos", ("workers", "wedsql_site")),
        Part("browsers", "browser", ("tests/browser",)),
        Part("packages", "not chaos and not kernel and not browser", ("tests", "bench")),
    ]
    if other:
        options = (*_ONE_MODE, *_DEBIAN, *_HOSTILE, *_ELSEWHERE)
        parts.append(Part("elsewhere", _KERNEL, ("flows/tests/kernel",), options))
    return parts


def long() -> list[Part]:
    """Return the parts of `make test-long`: every mode, both servers, usual and hostile settings."""
    parts = [part for part in short() if part.name not in ("kernel", "elsewhere")]
    parts.append(Part("kernel in every mode", _KERNEL, ("flows", "tests"), _EVERY_MODE))
    kernel = ("flows/tests/kernel",)
    parts.append(Part("kernel, hostile", _KERNEL, kernel, (*_EVERY_MODE, *_HOSTILE)))
    if binaries.from_system():
        elsewhere = f"{_KERNEL} and not cost"
        debian = (*_EVERY_MODE, *_DEBIAN)
        parts.append(Part("kernel on Debian's server", elsewhere, ("flows", "tests"), debian))
        parts.append(Part("kernel on Debian's, hostile", elsewhere, kernel, (*debian, *_HOSTILE)))
    return parts


# What `make check` runs besides the linters: no browser, no processes, each layer of the kernel.
CHECK = Part(
    "check",
    "not slow and not browser and not chaos and not isolation",
    (
        "tests/test_layers.py", "tests/test_wording.py", "tests/test_catalogues.py",
        "flows/tests/kernel/languages/test_k_figure2.py",
        "flows/tests/kernel/definition/test_k_definition.py",
        "flows/capabilities/conditions/tests/kernel/test_k_completion.py",
        "flows/tests/kernel/work/test_k_matching.py",
        "flows/tests/kernel/work/test_k_final.py", "flows/tests/kernel/time/test_k_leases.py",
        "flows/tests/test_generated_source.py",
        "flows/tests/database/test_tables.py", "flows/tests/database/test_roles.py",
        "wedsql_site/tests/test_settings.py", "wedsql_site/tests/test_checks.py", "pages/tests",
    ),
)  # fmt: skip


def named(names: list[str], from_long: bool = False) -> list[Part]:
    """Return the parts with these names; all of them without names. Raises SystemExit for a wrong name."""
    known = {part.name: part for part in (long() if from_long else short())}
    known |= {} if from_long else {CHECK.name: CHECK}
    if unknown := set(names) - {
        *known,
        "elsewhere",
    }:  # where there is no other server, all tests are run here
        raise SystemExit(f"no part {', '.join(unknown)}; there are: {', '.join(known)}")
    return [known[name] for name in names if name in known] or [
        part for part in known.values() if part is not CHECK
    ]
