"""Test concurrent operations in every order: no deadlock, no lost wake-up, nothing done twice."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

import psycopg
import pytest

from flows.tests.spread import chosen
from testkit.cases import long
from testkit.waiting import until
from tests.isolation.cover import Cover
from tests.isolation.runner import Client, Run, Spec, SpecConnections, parse

pytestmark = [pytest.mark.kernel, pytest.mark.isolation]
FEWEST = 6
# What an order breaks stays broken, so the invariants are checked after several orders: they take longer.
TOGETHER = 4
BROKEN = "select name, example from wedsql.invariants(20) where not ok"
SPECS = sorted((Path(__file__).parent / "specs").glob("*.spec"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize with each spec; those that take jobs run in each selected mode, leases have their own."""
    if "path" in metafunc.fixturenames:
        asked = metafunc.config.getoption("--mode")
        cases = [(path, mode) for path in SPECS for mode in chosen(asked, modes(path), path.stem)]
        metafunc.parametrize(("path", "mode"), cases, ids=[f"{path.stem}-{mode}" for path, mode in cases])


def modes(path: Path) -> tuple[str, ...]:
    """Return the modes in which a spec has different behaviour."""
    return ("single", "batch", "held") if "words.take" in path.read_text(encoding="utf-8") else ("single",)


def test_every_order(dsn: str, path: Path, mode: str) -> None:
    """In short runs, orders that have all that two sessions can do to each other in two steps."""
    spec = parse(path)
    cover = Cover(spec)
    orders: list[list[str]] = []
    happened = 0
    with SpecConnections(dsn, spec, mode) as connections:
        for order in spec.orders() if long() or spec.permutations else cover:
            run = Run(connections, order)
            run.go()
            orders.append(order)
            cover.has_run(order, len(run.submitted))
            if not run.impossible:
                happened += 1
                refused = [error for error in run.errors if error[1] not in spec.allow]
                assert not refused, f"{' '.join(order)}: {refused}"
                assert not (wrong := run.wrong()), f"{' '.join(order)}: {wrong}"
            if len(orders) % TOGETHER == 0:
                check_invariants(connections, orders[-TOGETHER:])
        check_invariants(connections, orders[-TOGETHER:])
    assert happened >= FEWEST, "the orders were really run"


def check_invariants(connections: SpecConnections, orders: list[list[str]]) -> None:
    """Fail if one of these orders has broken something; what an impossible one left open is ended."""
    connections.clear()
    broken = connections.watcher.execute(BROKEN).fetchall()
    assert not broken, f"one of {orders}: {broken}"


def test_words_that_read_are_called_once_in_a_condition(dsn: str) -> None:
    """A volatile one is called for each of the rows that all earlier orders have left."""
    volatile = """
        select array_agg(proname::text) from pg_proc where pronamespace = 'words'::regnamespace
        and provolatile = 'v' and prorettype <> 'void'::regtype"""
    with psycopg.connect(dsn) as connection:
        assert connection.execute(volatile).fetchone() == (["continue_all"],), "this one works"


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


def test_the_session_that_a_deadlock_ended_may_answer_last(dsn: str, tmp_path: Path) -> None:
    """The second session unlocks what the first waits for long before its own step is done."""
    path = tmp_path / "deadlock.spec"
    path.write_text(
        "session one\nstep a1 { set deadlock_timeout = '1min';"
        " begin; select pg_advisory_xact_lock(1) }\nstep b1 { select pg_advisory_xact_lock(2) }\n"
        "step c1 { rollback }\n"
        "session two\nstep a2 { select pg_advisory_lock(2) }\nstep b2 {\n"
        "do $$ begin perform pg_advisory_xact_lock(1); exception when deadlock_detected then\n"
        "perform pg_advisory_unlock(2); perform count(*) from generate_series(1, 2000000); end $$ }\n"
        "step c2 { select 1 }\n"
        "permutation a1 a2 b1 b2 c2 c1\n"
    )
    spec = parse(path)
    with SpecConnections(dsn, spec) as connections:
        run = Run(connections, spec.orders()[0])
        run.go()
        assert (run.waited[0], run.errors, run.impossible) == ("b1", [], False)


def test_a_short_run_has_each_two_steps_in_each_state_of_two_sessions(tmp_path: Path) -> None:
    spec = written(tmp_path)
    cover, chosen = Cover(spec), []
    for order in cover:
        cover.has_run(order, len(order))
        chosen.append(order)

    def turns(orders: list[list[str]]) -> set[Hashable]:
        return {(frozenset(order[:at]), *order[at : at + 2]) for order in orders for at in range(5)}

    assert turns(chosen) == turns(spec.orders()) and len(chosen) < len(spec.orders()) / 2 + 2


def test_an_order_that_begins_as_an_impossible_one_is_not_tried(tmp_path: Path) -> None:
    """What comes later in an impossible order is not done, so another order has it."""
    cover, chosen = Cover(written(tmp_path)), []
    for order in cover:
        chosen.append(order)
        cover.has_run(order, 1 if order[:2] == ["a1", "a2"] else len(order))
    assert [order[:2] for order in chosen].count(["a1", "a2"]) == 1
    assert any(order[:3] == ["a1", "b1", "a2"] for order in chosen)


def written(tmp_path: Path) -> Spec:
    """Return a spec of two sessions with three steps each."""
    path = tmp_path / "two.spec"
    sessions = (f"session s{n}\n" + "\n".join(f"step {x}{n} {{ }}" for x in "abc") for n in (1, 2))
    path.write_text("\n".join(sessions))
    return parse(path)


class SlowRun(Run):
    """A run whose queries take so long that the session that another waited for ends its step meanwhile."""

    def _blocked(self, client: Client) -> bool:
        blocked = super()._blocked(client)
        if blocked and self.submitted[-1][0] == "b2":
            until(lambda: not self.clients["two"].busy)
        return blocked


def test_a_wait_that_ends_while_the_runner_looks_is_seen_to_end(dsn: str, tmp_path: Path) -> None:
    path = tmp_path / "wait.spec"
    work = "select count(*) from generate_series(1, 1000000)"
    path.write_text(
        f"session one\nstep a1 {{ select pg_advisory_lock(1); {work} }}\nstep b1 {{ select 1 }}\n"
        f"session two\nstep a2 {{ select pg_advisory_lock(1) }}\n"
        f"step b2 {{ {work}; select pg_advisory_unlock(1) }}\n"
        "permutation a2 a1 b2 b1\n"
    )
    spec = parse(path)
    with SpecConnections(dsn, spec) as connections:
        run = SlowRun(connections, spec.orders()[0])
        run.go()
        assert (run.waited, run.errors, run.impossible) == (["a1"], [], False)
