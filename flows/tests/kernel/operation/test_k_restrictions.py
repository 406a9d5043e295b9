"""Each restriction at each verb about an instance, in each status: what passes it is named with its reason.

The verbs and statuses are those of test_k_verbs, whose table has every function and operation that there is.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flows import api
from flows.capabilities.approvals.api import ApprovalRule
from flows.tests.kernel.operation.test_k_verbs import TABLE, VERBS, WAYS, Case, cases, operation, outcome
from flows.tests.kit import Kit, broken

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
__all__ = ["cases"]

BY_WORKERS = {"take", "complete_many", "fail_many", "extend", "release"}
PASSES_APPROVALS = {
    **dict.fromkeys(BY_WORKERS, "the process goes on by itself"),
    "signal": "it comes from outside, and is a step of the process",
    "signal that is kept": "the same",
    "signal that no job takes": "nothing is changed",
    "next_case": "a case is claimed, the instance is not changed",
    "set_task_settings": "deadlines and the person responsible, no state",
    "prioritize_job": "the order of jobs changes no state",
    "repair priority": "the same",
}
PASSES_KEYS = {
    name: "persons and the site, whose role has no key"
    for name in TABLE
    if name not in BY_WORKERS and not name.startswith("signal")
} | {
    "signal": "signals have rights of their own",
    "signal that is kept": "the same",
    "signal that no job takes": "the same",
}


def approvals(kit: Kit) -> None:
    api.approvals.save_rules(kit.name, [ApprovalRule(1)], actor="ann", conn=kit.conn)


def keys(kit: Kit) -> None:
    kit.rows("update wedsql.flow set worker_keys = true where id = %s", [kit.id])


RESTRICTIONS: dict[str, tuple[Callable[[Kit], None], set[str], dict[str, str]]] = {
    "approvals": (approvals, {"WD520"}, PASSES_APPROVALS),
    "keys of workers": (keys, {"WD570"}, PASSES_KEYS),
}
CHANGES = ("done", "delivered", "kept", "ignored")


def answers(found: list[Case]) -> dict[str, list[str]]:
    """Return what each verb says in each status."""
    verbs = {name: VERBS.get(name) or operation(name.removeprefix("repair ")) for name in TABLE}
    return {name: [outcome(case, verb) for case in found] for name, verb in verbs.items()}


@pytest.mark.parametrize("name", RESTRICTIONS)
def test_what_a_restriction_lets_pass_is_known(cases: list[Case], name: str) -> None:
    restrict, refusals, passes = RESTRICTIONS[name]
    kit = cases[0].kit
    before = answers(cases)
    restrict(kit)
    let_pass, other = set(), {}
    for verb, after in answers(cases).items():
        for status, was, now in zip(WAYS, before[verb], after, strict=True):
            ended = verb == "rematch" and status in (
                "final",
                "cancelled",
                "aborted",
                "away",
            )  # nothing is done
            if was in CHANGES and now == was and not ended:
                let_pass.add(verb)
            elif now not in (was, *refusals):
                other[verb, status] = (was, now)
    assert let_pass == set(passes) & {verb for verb in before if set(before[verb]) & set(CHANGES)}
    assert not other and broken(kit) == []
