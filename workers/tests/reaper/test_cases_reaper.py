"""The reaper signs cases and lets policies act on them, with the privileges of its role."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg

from flows import api
from flows.capabilities.recovery.policies import RecoveryPolicy
from testkit.waiting import until
from workers.reaper import rounds


def test_a_round_of_the_reaper_computes_signatures_and_lets_policies_act(
    flow: str, connect: Callable[..., psycopg.Connection[Any]]
) -> None:
    owner = connect()
    api.flows.publish(flow, {"attributes": [{"name": "a"}],
                       "triggers": [{"transition": "tr_x", "predicate": "a = '1'"}]}, conn=owner)  # fmt: skip
    wid = api.instances.start(flow, {"a": "1"}, conn=owner)
    with owner.transaction():
        job = api.jobs.take(flow, ["tr_x"], conn=owner)
        assert job is not None
        api.jobs.complete(job, {"a": "2"}, conn=owner)
    (case,) = api.cases.list([flow], {"wid": wid}, conn=owner)
    assert case.signature == ""
    try:
        until(lambda: rounds.reap() is not None and api.cases.read(case.number, conn=owner).signature != "")
        api.repairs.save_policies(
            flow, [RecoveryPolicy("back", "patch", {"changes": {"a": "1"}})], "x", conn=owner
        )
        until(
            lambda: rounds.reap() is not None and api.cases.read(case.number, conn=owner).state == "applied"
        )
    finally:
        rounds._reaper_wire().close()
