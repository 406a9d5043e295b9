"""The repair of an exception writes only attributes that are repairable."""

from __future__ import annotations

import pytest

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel

DEFINITION = {
    "attributes": [{"name": "a"}, {"name": "paid", "repairable": False}],
    "triggers": [
        {"transition": "tr_x", "predicate": "a = '1'"},
        {"final": True, "predicate": "a = 'end'"},
    ],
}


@pytest.fixture
def stuck(kit: Kit) -> tuple[Kit, int]:
    """A flow whose attribute `paid` cannot be repaired, with an instance that is stuck."""
    kit.publish(DEFINITION)
    wid = kit.start(a="1")
    kit.run("tr_x", wid, a="lost", paid="yes")
    assert kit.status(wid) == "E"
    return kit, wid


def test_a_repair_of_a_protected_attribute_is_rejected(stuck: tuple[Kit, int]) -> None:
    kit, wid = stuck
    with refused("WD210"):
        kit.run("_EXCPT", wid, a="1", paid="no")
    assert kit.state(wid) == {"a": "lost", "paid": "yes"}
    assert kit.run("_EXCPT", wid, a="1").status == "R"


def test_a_transition_writes_it_as_before(stuck: tuple[Kit, int]) -> None:
    kit, wid = stuck
    kit.run("_EXCPT", wid, a="1")
    assert kit.run("tr_x", wid, a="end", paid="no").status == "F"


def test_the_papers_update_as_a_repair_is_rejected(stuck: tuple[Kit, int]) -> None:
    kit, wid = stuck
    with refused("WD210"), kit.conn.transaction():
        kit.lock(kit.conn, wid, 0)
        kit.rows("update {f}.wed_flow set a = '1', paid = 'no' where wid = %s", [wid])
    with kit.conn.transaction():
        kit.lock(kit.conn, wid, 0)
        kit.rows("update {f}.wed_flow set a = '1', paid = 'yes' where wid = %s", [wid])
    assert kit.status(wid) == "R"


def test_a_trial_rejects_it_too(kit: Kit) -> None:
    tried = api.trials.try_start(DEFINITION, {"a": "1"}, conn=kit.conn)
    tried = api.trials.try_complete(DEFINITION, tried, 0, {"a": "lost"}, conn=kit.conn)
    with refused("WD210"):
        api.trials.try_complete(DEFINITION, tried, -1, {"paid": "no"}, conn=kit.conn)
    assert api.trials.try_complete(DEFINITION, tried, -1, {"a": "1"}, conn=kit.conn).status == "R"
