"""Moves: an instance is handed to another installation, continued there and handed back."""

from __future__ import annotations

from decimal import Decimal

import psycopg
import pytest

from flows import api, errors
from flows.capabilities.moves.tests.kernel.sites import LIVING, Site, delivered

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
Pair = tuple[Site, Site]


def test_an_instance_goes_to_another_installation_and_back_with_one_history(pair: Pair) -> None:
    here, there = pair
    there.start("other")  # so that numbers differ
    wid = here.start("7", amount=Decimal("1.10"))
    here.step("pick", wid, picked="yes")
    move = here.hand_over(wid, there)
    assert here.status(wid) == "M" and here.offered("pack") == []
    assert (move.state, move.counter, move.direction) == ("offered", 1, "sent")

    arrived = delivered(here, there, move.id)
    assert arrived.state == "arrived" and here.move(move.id).state == "done"
    assert not here.move(move.id).has_package
    far = arrived.wid
    assert far is not None and far != wid
    assert there.status(far) == "R" and there.state(far) == here.state(wid)
    assert there.offered("pack") == [far]
    there.step("pack", far, packed="yes")

    back = there.hand_over(far, here)
    assert back.counter == 2 and there.status(far) == "M"
    assert delivered(there, here, back.id).wid == wid
    assert (here.status(wid), there.status(far)) == ("R", "M")
    here.step("send", wid, sent="yes")
    assert here.status(wid) == "F"
    assert here.story(wid) == [
        "_INIT", "pick", "_HAND_OVER", "_ARRIVE", "pack", "_HAND_OVER", "_ARRIVE", "send"
    ]  # fmt: skip
    assert here.story(wid)[:6] == there.story(far)
    assert here.trace(wid)[4].actor == "worker of there"
    assert [s.state for s in here.trace(wid)[:6]] == [s.state for s in there.trace(far)]
    places = api.moves.places(wid, conn=here.conn)
    assert places and [(s.first, s.name, s.here) for s in places.stays] == [
        (1, "here", True), (4, "there", False), (7, "here", True)
    ]  # fmt: skip
    assert here.broken() == [] and there.broken() == []


def test_at_most_one_installation_runs_it_at_each_moment_of_a_move(pair: Pair) -> None:
    here, there = pair
    wid = here.start()
    move = here.hand_over(wid, there).id

    def running() -> list[str]:
        return [
            site.name
            for site in pair
            if site.one("select count(*) from wedsql.instance where status = any(%s)", [list(LIVING)])
        ]

    package = here.message(move)
    assert running() == []
    accepted = there.receive(package)
    assert accepted and there.move(move).state == "held" and running() == []
    here.receive(accepted)
    assert here.move(move).state == "released" and running() == []
    with pytest.raises(errors.MoveNotOpen):
        api.moves.take_back(move, "too late", conn=here.conn)
    arrived = there.receive(here.message(move))
    assert arrived and running() == ["there"]
    here.receive(arrived)
    assert running() == ["there"]


def test_messages_that_come_again_or_late_change_nothing(pair: Pair) -> None:
    here, there = pair
    wid = here.start()
    move = here.hand_over(wid, there).id
    package = here.message(move)
    accepted = there.receive(package)
    assert accepted
    assert there.receive(package)
    here.receive(accepted)
    release = here.message(move)
    for message in (release, package, release, package):
        assert there.receive(message)
    assert there.one("select count(*) from wedsql.instance") == 1
    far = there.move(move).wid
    assert far
    back = there.hand_over(far, here)
    here.receive(accepted)
    delivered(there, here, back.id)
    for message in (package, release):
        assert there.receive(message)
    assert (here.status(wid), there.status(far)) == ("R", "M")
    here.receive(accepted)
    assert here.status(wid) == "R" and here.broken() == [] and there.broken() == []


def test_an_offer_that_is_taken_back_is_never_run_by_its_receiver(pair: Pair) -> None:
    here, there = pair
    wid = here.start()
    here.step("pick", wid, picked="yes")
    jobs = here.rows("select id, tgid, attempts from wedsql.job_pool where wid = %s", [wid])
    move = here.hand_over(wid, there).id
    package = here.message(move)
    accepted = there.receive(package)
    assert accepted
    api.moves.take_back(move, "on second thoughts", actor="ana", conn=here.conn)
    assert here.status(wid) == "R" and here.offered("pack") == [wid]
    assert here.rows("select id, tgid, attempts from wedsql.job_pool where wid = %s", [wid]) == jobs
    here.receive(accepted)
    assert here.move(move).state == "taken_back" and here.status(wid) == "R"
    assert there.receive(here.message(move))
    assert there.move(move).state == "withdrawn"
    assert there.receive(package) and there.one("select count(*) from wedsql.instance") == 0
    assert here.story(wid) == ["_INIT", "pick", "_HAND_OVER", "_TAKE_BACK"] and here.broken() == []


def test_a_withdrawal_before_its_package_keeps_the_package_out(pair: Pair) -> None:
    here, there = pair
    wid = here.start()
    move = here.hand_over(wid, there).id
    package = here.message(move)
    api.moves.take_back(move, "no", conn=here.conn)
    assert there.receive(here.message(move)) and there.receive(package)
    assert there.move(move).state == "withdrawn"
    later = here.hand_over(wid, there)
    assert later.counter == 2 and delivered(here, there, later.id).state == "arrived"


def test_a_package_that_has_expired_is_refused_and_the_instance_goes_on_at_its_sender(pair: Pair) -> None:
    here, there = pair
    wid = here.start()
    move = here.hand_over(wid, there).id
    there.clock("2 hours")
    refused = there.receive(here.message(move))
    assert refused and there.move(move).sqlstate == "WD626"
    here.receive(refused)
    found = here.move(move)
    assert (found.state, found.sqlstate, here.status(wid)) == ("refused", "WD626", "R")
    assert here.offered("pick") == [wid]


def test_the_signature_the_addressee_and_the_sender_are_checked(pair: Pair) -> None:
    here, there = pair
    wid = here.start(amount=10)
    move = here.hand_over(wid, there).id
    package = here.message(move)
    with pytest.raises(errors.BadPackage, match="signature"):
        there.receive(package.replace(b'\\"amount\\": 10', b'\\"amount\\": 99'))
    with pytest.raises(errors.UnknownInstallation):
        there.receive(package.replace(here.identity.id.encode(), there.identity.id.encode(), 1))
    with pytest.raises(errors.UnknownInstallation):
        here.receive(package)
    for broken in (b"", b"[]", b"{}", package[:-9], b"\xff", b'{"format": 1}', b"null"):
        with pytest.raises(errors.BadPackage):
            there.receive(broken)
    api.moves.remove_peer("here", "op", conn=there.conn)
    with pytest.raises(errors.UnknownInstallation):
        there.receive(package)
    assert there.one("select count(*) from wedsql.move") == 0


def test_a_flow_that_may_not_be_received_and_one_with_another_definition_are_refused(pair: Pair) -> None:
    here, there = pair
    there.knows(here, ("invoices",))
    wid = here.start()
    move = here.hand_over(wid, there)
    assert delivered(here, there, move.id).sqlstate == "WD629"
    there.knows(here, ("orders",))
    changed = api.flows.definition("orders", conn=here.conn)
    changed["triggers"][1]["predicate"] += " and amount > 5"
    here.publish(changed)
    move = here.hand_over(wid, there)
    refused = delivered(here, there, move.id)
    assert refused.sqlstate == "WD627" and 'trigger "pack"' in (refused.problem or "")
    assert here.move(move.id).problem == refused.problem and here.status(wid) == "R"
    there.publish(api.moves.definition(move.id, conn=there.conn))
    move = here.hand_over(wid, there)
    assert delivered(here, there, move.id).state == "arrived"
    assert here.broken() == [] and there.broken() == []


def test_an_instance_comes_back_to_a_definition_that_was_published_meanwhile(pair: Pair) -> None:
    here, there = pair
    wid = here.start()
    far = delivered(here, there, here.hand_over(wid, there).id).wid
    assert far
    changed = api.flows.definition("orders", conn=here.conn)
    changed["attributes"] = [a for a in changed["attributes"] if a["name"] != "amount"]
    changed["attributes"].append({"name": "checked", "default": "no"})
    next(a for a in changed["attributes"] if a["name"] == "picked").update(name="chosen", was="picked")
    for trigger in changed["triggers"]:
        trigger["predicate"] = trigger["predicate"].replace("picked", "chosen")
    changed["triggers"].insert(0, {"transition": "check", "predicate": "checked = 'no'"})
    here.publish(changed)
    there.step("pick", far, picked="yes")
    delivered(there, here, there.hand_over(far, here).id)
    assert here.status(wid) == "R" and here.state(wid)["checked"] == "no"
    assert here.state(wid)["chosen"] == "yes"
    assert here.offered("check") == [wid] and here.offered("pack") == [wid]
    assert here.broken() == [] and there.broken() == []


def test_attempts_and_the_log_go_along_and_come_back(pair: Pair) -> None:
    here, there = pair
    wid = here.start()

    def fail(site: Site) -> None:
        with site.conn.transaction():
            (job,) = api.jobs.take_many("orders", ["pick"], 1, conn=site.conn)
            api.jobs.fail(job, "no", conn=site.conn)

    fail(here)
    far = delivered(here, there, here.hand_over(wid, there).id).wid
    assert far
    assert there.one("select attempts from wedsql.job_pool where wid = %s", [far]) == 1
    fail(there)
    delivered(there, here, there.hand_over(far, here).id)
    assert here.one("select attempts from wedsql.job_pool where wid = %s", [wid]) == 2
    assert here.one("select count(*) from wedsql.job_log where wid = %s", [wid]) == 2
    assert here.broken() == [] and there.broken() == []
    fail(here)
    assert here.status(wid) == "E"
    with pytest.raises(errors.NotMovable):
        here.hand_over(wid, there)


def test_an_instance_that_is_held_or_not_running_stays(pair: Pair) -> None:
    here, there = pair
    wid = here.start()
    (job,) = api.jobs.lease_many("orders", ["pick"], 1, "zoe", conn=here.conn)
    with pytest.raises(errors.WedError, match="zoe") as held:
        here.hand_over(wid, there)
    assert held.value.code == "WD203"
    api.jobs.release(job, conn=here.conn)
    api.operations.suspend(wid, "stop", conn=here.conn)
    with pytest.raises(errors.NotMovable, match="suspended"):
        here.hand_over(wid, there)
    api.operations.resume(wid, "go", conn=here.conn)
    with pytest.raises(errors.UnknownInstallation):
        api.moves.hand_over(wid, "nowhere", "so", conn=here.conn)
    with pytest.raises(errors.WedError):
        api.moves.hand_over(wid, "there", " ", conn=here.conn)
    here.hand_over(wid, there)
    with pytest.raises(errors.NotRunning, match="another installation"):
        here.hand_over(wid, there)
    with pytest.raises(errors.NotRunning, match="another installation"):
        api.instances.cancel(wid, "no", conn=here.conn)
    with pytest.raises(psycopg.Error) as update:
        here.rows(f"update orders.wed_flow set picked = 'x' where wid = {wid}")
    assert update.value.sqlstate == "WD105"


def test_a_key_that_another_instance_has_is_refused(pair: Pair) -> None:
    here, there = pair
    wid = api.instances.start("orders", {"number": "1"}, key="k", conn=here.conn)
    api.instances.start("orders", {"number": "2"}, key="k", conn=there.conn)
    move = here.hand_over(wid, there)
    assert delivered(here, there, move.id).sqlstate == "WD629" and here.status(wid) == "R"


def test_a_receiver_that_was_restored_gets_the_package_again(pair: Pair) -> None:
    here, there = pair
    wid = here.start()
    move = here.hand_over(wid, there).id
    accepted = there.receive(here.message(move))
    assert accepted
    here.receive(accepted)
    there.rows("delete from wedsql.move")
    there.clock("2 hours")
    assert delivered(here, there, move).state == "arrived"


def test_a_package_that_a_sender_was_restored_before_is_refused_as_old(pair: Pair) -> None:
    here, there = pair
    wid = here.start()
    old = here.hand_over(wid, there)
    package = here.message(old.id)
    api.moves.take_back(old.id, "no", conn=here.conn)
    far = delivered(here, there, here.hand_over(wid, there).id).wid
    assert far
    answer = there.receive(package)
    assert answer and there.move(old.id).sqlstate == "WD628"
    assert "has the number 1 of this instance" in str(there.move(old.id).problem)
    delivered(there, here, there.hand_over(far, here).id)
    assert here.status(wid) == "R"
