"""Test concurrent operations in every order: no deadlock, no lost wake-up, nothing done twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.tests.spread import chosen
from tests.isolation.runner import Run, SpecConnections, parse

pytestmark = [pytest.mark.kernel, pytest.mark.isolation]
SPECS = sorted((Path(__file__).parent / "specs").glob("*.spec"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize with each spec; those that take jobs run in each selected mode, leases have their own."""
    if "path" in metafunc.fixturenames:
        asked = metafunc.config.getoption("--mode")
        cases = [(path, mode) for path in SPECS for mode in chosen(asked, modes(path))]
        metafunc.parametrize(("path", "mode"), cases, ids=[f"{path.stem}-{mode}" for path, mode in cases])


def modes(path: Path) -> tuple[str, ...]:
    """Return the modes in which a spec has different behaviour."""
    return ("single", "batch", "held") if "words.take" in path.read_text(encoding="utf-8") else ("single",)


def test_every_order(dsn: str, path: Path, mode: str) -> None:
    spec = parse(path)
    happened = 0
    with SpecConnections(dsn, spec, mode) as connections:
        for order in spec.orders():
            run = Run(connections, order)
            run.go()
            if run.impossible:
                continue
            happened += 1
            refused = [error for error in run.errors if error[1] not in spec.allow]
            assert not refused, f"{' '.join(order)}: {refused}"
            assert not (wrong := run.wrong()), f"{' '.join(order)}: {wrong}"
            broken = run.watcher.execute(
                "select name, example from wedsql.invariants() where not ok"
            ).fetchall()
            assert not broken, f"{' '.join(order)}: {broken}"
    assert happened >= 6, "the orders were really run"


def test_the_runner_sees_a_deadlock(dsn: str, tmp_path: Path) -> None:
    """Detect the deadlock in the session that waits last, however slow the machine is."""
    path = tmp_path / "deadlock.spec"
    path.write_text(
        "session one\nstep a1 { set deadlock_timeout = '1min';"
        " begin; select pg_advisory_xact_lock(1) }\nstep b1 {"
        " select pg_advisory_xact_lock(2) }\n"
        "step c1 { rollback }\n"
        "session two\nstep a2 { begin; select pg_advisory_xact_lock(2) }\nstep b2 {"
        " select pg_advisory_xact_lock(1) }\n"
        "step c2 { rollback }\n"
        "permutation a1 a2 b1 b2 c2 c1\npermutation a1 b1 a2 c1 b2 c2\n"
    )
    spec = parse(path)
    with SpecConnections(dsn, spec) as connections:
        run = Run(connections, spec.orders()[0])
        run.go()
        assert run.waited[0] == "b1"
        assert run.errors == [("b2", "40P01")]
        run = Run(connections, spec.orders()[1])
        run.go()
        assert (run.waited, run.errors, run.impossible) == (["a2"], [], False)
        run = Run(connections, ["a1", "a2", "b1", "c1", "b2", "c2"])
        run.go()
        assert run.impossible, "c1 cannot come while b1 waits"
