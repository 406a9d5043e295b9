"""R3 and R10: one publication ends the exceptions that it explains; a cancelled instance ends as it is."""

from __future__ import annotations

import pytest

from flows import api
from flows.tests.kit import Kit, broken, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


def test_r3_evolve_one_publication_ends_a_thousand_exceptions(kit: Kit) -> None:
    def publish(condition: str) -> None:
        rules = [{"transition": "tr_x", "predicate": condition}, {"predicate": "a = 'end'", "final": True}]
        kit.publish({"attributes": [{"name": "a"}], "triggers": rules})

    def found() -> dict[str, int]:
        query = "select status, count(*) from wedsql.instance where flow_id = %s group by status"
        return {row[0]: row[1] for row in kit.rows(query, [kit.id])}

    publish("a is not null")
    api.instances.start_many(kit.name, [{"a": "1"}] * 1000 + [{"a": "2"}] * 2, conn=kit.conn)
    rules = [{"transition": "tr_y", "predicate": "a = '3'"}]
    kit.publish({"attributes": [{"name": "a"}], "triggers": rules})
    assert found() == {"E": 1002}
    with refused("WD002", "WD004", "WD005"):
        publish("nowhere = '1'")
    assert found() == {"E": 1002}
    publish("a = '1'")
    assert found() == {"E": 2, "R": 1000}
    cases = "select count(*) from wedsql.repair_case where flow_id = %s and closed_at is null"
    assert kit.one(cases, [kit.id]) == 2 and broken(kit) == []


def test_r10_cancel_withdraws_the_jobs_and_compensates_nothing(kit: Kit) -> None:
    kit.attrs("a")
    undo = {"compensation": "transition", "compensated_by": "tr_back", "class": "compensatable"}
    kit.trig("tr_x", "a is null", **undo)
    kit.trig("tr_y", "a = '1'", compensation="inverse")
    kit.final("a = 'end'")
    wid = kit.start()
    kit.run("tr_x", wid, a="1")
    state = kit.state(wid)
    api.repairs.repair(wid, "cancel", {}, "Not wanted.", actor="ana", conn=kit.conn)
    row = kit.trace(wid)[-1]
    assert (kit.status(wid), kit.pending(wid), kit.state(wid)) == ("C", [], state)
    assert (row.trw, row.actor, row.reason, row.status) == ("_CANCEL", "ana", "Not wanted.", "C")
    assert kit.instance(wid).finished_at == row.tstmp and broken(kit) == []


def test_r10_cancel_is_refused_for_what_has_ended(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a is null")
    kit.final("a = 'end'")
    wid = kit.start()
    kit.run("tr_x", wid, a="end")
    for number, code in ((wid, "WD105"), (2_000_000_000, "WD104")):
        with refused(code):
            api.instances.cancel(number, "x", conn=kit.conn)
    assert (kit.status(wid), len(kit.trace(wid))) == ("F", 2)
