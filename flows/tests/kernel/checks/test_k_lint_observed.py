"""The checks that compare a definition with what happened: firings, results, executions, workers."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.definition.lint import Finding
from flows.tests.kit import Kit

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="a mode only makes the history")]


def test_workers_and_repeated_firings_are_observed(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    kit.final("a = '2'")
    wid = kit.start(a="1")
    kit.run("tr_x", wid)
    numbered = kit.one("select wedsql._definition(f, true) from wedsql.flow f where f.id = %s", [kit.id])
    checks = {one.check: one for one in api.flows.lint(kit.name, numbered, conn=kit.conn)}
    assert checks["fired_again"].instances == [wid]
    assert checks["no_worker"].path == ("triggers", 0, "transition")
    api.workers.register("process", "w", "here", 1, [f"{kit.name}:tr_x"], conn=kit.conn)
    assert "no_worker" not in {one.check for one in api.flows.lint(kit.name, numbered, conn=kit.conn)}


def started(kit: Kit, number: int, **state: Any) -> list[int]:
    return [kit.start(**state) for _ in range(number)]


def numbered(kit: Kit) -> dict[str, Any]:
    """Return the running definition with the numbers of its rules."""
    return kit.one("select wedsql._definition(f, true) from wedsql.flow f where f.id = %s", [kit.id])


def checks(kit: Kit, definition: dict[str, Any]) -> dict[str, Finding]:
    return {one.check: one for one in api.flows.lint(kit.name, definition, conn=kit.conn)}


def test_a_rule_that_did_not_fire_is_observed_in_enough_instances(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    kit.trig("tr_y", "a = '2'")
    kit.final("a = '3'")
    started(kit, 49, a="1")
    assert "never_fired" not in checks(kit, numbered(kit))
    started(kit, 1, a="1")
    found = checks(kit, numbered(kit))["never_fired"]
    assert (found.path[1], found.how) == (1, "observed")
    changed = numbered(kit)
    changed["triggers"][1]["predicate"] = "a = '2' or a = '4'"
    assert "never_fired" not in checks(kit, changed)


def test_results_after_which_instances_became_exceptions_are_observed(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    kit.final("a = '3'")
    one, other = started(kit, 2, a="1")
    kit.run("tr_x", one, a="3")
    assert "became_exception" not in checks(kit, numbered(kit))
    kit.run("tr_x", other, a="9")
    assert checks(kit, numbered(kit))["became_exception"].instances == [other]


def test_two_rules_that_wrote_the_same_without_declaring_it_are_observed(kit: Kit) -> None:
    kit.attrs("a", "b", "c")
    kit.trig("tr_x", "a = '1'")
    kit.trig("tr_y", "a = '1' and b is null")
    kit.final("a = '3'")
    first, second = started(kit, 2, a="1")
    kit.run("tr_x", first, c="3")
    assert "both_write" not in checks(kit, numbered(kit))
    kit.run("tr_y", second, c="3")
    found = checks(kit, numbered(kit))["both_write"]
    assert (found.how, found.severity, found.instances) == ("observed", "info", [first, second])


def test_timeouts_are_compared_with_how_long_executions_took(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'", timeout="1 minute")
    kit.final("a = '3'")

    def took(*counts: int) -> set[str]:
        kit.conn.execute("delete from wedsql.timing where flow_id = %s", [kit.id])
        kit.conn.execute(
            "insert into wedsql.timing (flow_id, trname, kind, counts, seconds)"
            " values (%s, 'tr_x', 'run', %s, 1)",
            [kit.id, list(counts)],
        )
        return {one for one in checks(kit, numbered(kit)) if one.startswith("timeout")}

    quick, slow = [0, 0, 0, 100, *[0] * 9], [0, 0, 0, 80, *[0] * 6, 20, 0, 0]
    assert took(*quick) == set() and took(*slow) == {"timeout_short"}
    kit.conn.execute("update wedsql.trig set timeout = '1 hour' where flow_id = %s", [kit.id])
    assert took(*quick) == {"timeout_long"} and took(*slow) == set()
    assert took(*[n // 10 for n in quick]) == set(), "too few to say anything"
