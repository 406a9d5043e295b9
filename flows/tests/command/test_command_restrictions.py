"""An approval rule is asked for by each operation of the command `operate`, of one instance and of many."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.cache import cache

from flows import api
from flows.capabilities.approvals.api import ApprovalRule
from flows.management.commands.operate import CHOICES, of_many
from flows.tests.command.test_command_repair import rejected
from flows.tests.commands import refused, run
from flows.tests.pages import unique

pytestmark = pytest.mark.django_db

FREE = {"priority": "the order of jobs changes no state"}
MORE = {
    "priority": ["--to", "5"], "reassign": ["--to", "other"], "extend": ["--by", "60"],
}  # fmt: skip


@pytest.fixture(scope="module")
def standing_flow(standing: Callable[[Callable[[], str]], str]) -> str:
    return standing(made_flow)


@pytest.fixture
def flow(standing_flow: str, db: None) -> str:
    cache.clear()  # it has what other tests have done with the flow
    return standing_flow


def made_flow() -> str:
    name = unique()
    api.flows.create(name)
    rule = {"transition": "tr_a", "predicate": "a is null", "max_attempts": 1, "timeout": "1 hour"}
    final = {"predicate": "a = 'x'", "final": True}
    api.flows.publish(name, {"attributes": [{"name": "a"}], "triggers": [rule, final]})
    return name


def prepared(flow: str, operation: str) -> tuple[int, int]:
    """Return an instance that the operation is about, and its job."""
    wid = api.instances.start(flow)
    (job,) = api.reasons.explain_jobs(wid)
    if operation == "resume":
        api.operations.suspend(wid, "Wait.")
    elif operation in ("retry", "release", "extend"):
        (lease,) = api.jobs.lease_many(flow, ["tr_a"], 1, "w", job_ids=[job.id])
        if operation == "retry":
            api.jobs.fail(lease, "no")
    return wid, job.id


def line(operation: str, wid: int, job: int) -> list[str]:
    of_job = ["--job", str(job)] if api.operations.table()[operation].of_job else []
    return ["operate", operation, str(wid), "--reason", "x", *MORE.get(operation, []), *of_job]


@pytest.mark.parametrize("operation", CHOICES)
def test_an_operation_on_one_instance_asks_for_the_approvals(flow: str, operation: str) -> None:
    assert "done" in run(*line(operation, *prepared(flow, operation))), "without a rule"
    wid, job = prepared(flow, operation)
    before = api.reasons.explain_instance(wid).seq
    api.approvals.save_rules(flow, [ApprovalRule(1)], actor="ann")
    if operation in FREE:
        assert "done" in run(*line(operation, wid, job))
        return
    assert "approval" in rejected(*line(operation, wid, job))
    assert api.reasons.explain_instance(wid).seq == before


@pytest.mark.parametrize("operation", CHOICES)
def test_an_operation_on_many_asks_for_the_approvals(flow: str, operation: str) -> None:
    prepared(flow, operation)
    api.approvals.save_rules(flow, [ApprovalRule(1)], actor="ann")
    many = ["operate", operation, *MORE.get(operation, []), "--reason", "x", "--flow", flow, "--filter", ""]
    if operation not in of_many():
        assert "With --filter use one of" in refused(*many, code=2)
    elif operation in FREE:
        assert "is requested" in run(*many)
    else:
        assert "approval" in rejected(*many)
