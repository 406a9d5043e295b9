"""Four eyes, in races: two approvals at once, and one beside the reaper, the maker and a worker."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.capabilities.approvals.tests.kernel.test_k_four_eyes import again, approve, proposed, shop, stuck
from flows.capabilities.cases.tests.kernel.test_k_case_people import together
from flows.tests.kit import Connection, Kit, broken, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
__all__ = ["shop"]


def test_of_two_who_approve_at_once_the_first_applies(shop: Kit) -> None:
    made = proposed(shop, stuck(shop))
    first, second = together(shop, lambda conn: approve(shop, made, "bob", conn=conn),
                             lambda conn: approve(shop, made, "cleo", conn=conn))  # fmt: skip
    assert first.state == "applied"
    with refused("WD521"):
        second.result(10)
    assert len(again(shop, made).votes) == 1 and broken(shop) == []


def test_two_approvals_at_once_apply_the_repair_once(shop: Kit) -> None:
    made = proposed(shop, stuck(shop), changes={"refund": 6000, "stage": "paid"})
    first, second = together(shop, lambda conn: approve(shop, made, "bob", conn=conn),
                             lambda conn: approve(shop, made, "cleo", conn=conn))  # fmt: skip
    assert (first.state, second.result(10).state) == ("approved", "applied")
    assert [row.trw for row in shop.trace(made.wid)].count("_RECOVER:patch") == 1


def test_the_reaper_leaves_a_proposal_that_is_being_approved(shop: Kit) -> None:
    made = proposed(shop, stuck(shop))

    def reap(conn: Connection) -> Any:
        conn.execute("select set_config('wedsql.test_offset', '73 hours', false)")
        return api.maintenance.reap(conn=conn)

    first, second = together(shop, lambda conn: approve(shop, made, "bob", conn=conn), reap, waits=False)
    second.result(10)
    assert first.state == again(shop, made).state == "applied"


def test_an_approval_that_waits_for_the_end_of_a_proposal_is_refused(shop: Kit) -> None:
    made = proposed(shop, stuck(shop))
    _, second = together(shop, lambda conn: api.approvals.withdraw(made.number, "ann", conn=conn),
                         lambda conn: approve(shop, made, "bob", conn=conn))  # fmt: skip
    with refused("WD521"):
        second.result(10)
    assert shop.status(made.wid) == "E"


def test_an_approval_that_waits_for_a_worker_fails(shop: Kit) -> None:
    made = proposed(shop, stuck(shop))

    def repair(conn: Connection) -> None:
        with shop.step(conn):
            shop.complete(shop.take("_EXCPT", made.wid, conn), {"stage": "done"}, conn=conn)

    _, second = together(shop, repair, lambda conn: approve(shop, made, "bob", conn=conn))
    found = second.result(10)
    assert found.state == "failed" and found.failure.code == "WD108"
    assert (shop.status(made.wid), shop.state(made.wid)["refund"]) == ("F", 0) and broken(shop) == []
