"""Cases open and close in the commit that makes or ends an exception."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flows import api, kernel
from flows.tests.kit import Kit, broken, refused

pytestmark = pytest.mark.kernel

FIELDS = "number, cause, transition, signature, state, seq, opened_seq, signed_seq, reopened, closed_by"


@pytest.fixture
def parcel(kit: Kit) -> Kit:
    """A flow whose instances become exceptions in several ways."""
    kit.attrs("paid", "sent")
    kit.attr("n", 0, "integer")
    kit.trig("tr_pay", "paid is null", max_attempts=1, backoff="0")
    kit.trig("tr_send", "paid = 'yes' and sent is null", max_attempts=1, backoff="0")
    kit.trig("tr_loop", "paid = 'loop'", max_firings=3)
    kit.trig("tr_broken", "paid = 'zero' and 1 / n = 1")
    kit.final("sent = 'yes'")
    return kit


def cases(kit: Kit, wid: int) -> list[Any]:
    return kit.rows(f"select {FIELDS} from wedsql.repair_case where wid = %s order by number", [wid])


def only(kit: Kit, wid: int) -> Any:
    (found,) = cases(kit, wid)
    return found


def events(kit: Kit, wid: int) -> list[str]:
    return [
        each.kind
        for each in kit.rows(
            "select e.kind from wedsql.case_event e join wedsql.repair_case c using (number)"
            " where c.wid = %s order by e.id",
            [wid],
        )
    ]


def stuck(kit: Kit, paid: str = "no") -> int:
    wid = kit.start()
    kit.run("tr_pay", wid, paid=paid)
    assert kit.status(wid) == "E"
    return wid


def attempts(kit: Kit) -> int:
    wid = kit.start()
    kit.fail("tr_pay", wid, why="declined")
    assert kit.status(wid) == "E"
    return wid


def limit(kit: Kit) -> int:
    wid = kit.start()
    kit.run("tr_pay", wid, paid="loop")
    for number in range(1, 4):
        kit.run("tr_loop", wid, n=number)
    assert kit.status(wid) == "E"
    return wid


def failing(kit: Kit) -> int:
    return stuck(kit, "zero")


def withdrawn(kit: Kit) -> int:
    wid = kit.start()
    api.operations.withdraw_job(wid, kit.pending(wid)[0].id, "Not needed.", conn=kit.conn)
    return wid


def late(kit: Kit) -> int:
    kit.rows("update {f}.wed_trig set pickup_deadline = '1 minute' where trname = 'tr_pay'")
    wid = kit.start()
    kit.reap("90 seconds")
    kit.reap("1 hour")
    kit.clock("0")
    return wid


def blocked(kit: Kit) -> int:
    kit.rows("update {f}.wed_trig set cpred = 'paid is null or paid = ''both''' where trname = 'tr_pay'")
    kit.trig("tr_other", "paid = 'both'")
    wid = kit.start(paid="both")
    for transition in ("tr_pay", "tr_other"):
        with refused("WD103"), kit.step():
            job = kit.take(transition, wid)
            kit.complete(job, {"sent": "yes"})
        kit.fail(transition, wid, why="final", sqlstate="WD103")
    return wid


@pytest.mark.parametrize(
    ("make", "cause", "transition"),
    [
        (stuck, "STUCK", "tr_pay"), (failing, "CONDITION_ERROR", "tr_pay"), (attempts, "ATTEMPTS", "tr_pay"),
        (limit, "LOOP", "tr_loop"), (withdrawn, "WITHDRAWN", "_INIT"), (late, "PICKUP", "tr_pay"),
    ],
)  # fmt: skip
def test_each_way_into_an_exception_opens_a_case_and_a_repair_closes_it(
    parcel: Kit, make: Callable[[Kit], int], cause: str, transition: str
) -> None:
    wid = make(parcel)
    case = only(parcel, wid)
    assert (case.cause, case.transition, case.state) == (cause, transition, "new")
    assert (case.opened_seq, case.seq) == (parcel.instance(wid).seq,) * 2
    assert broken(parcel) == []
    parcel.run("_EXCPT", wid, paid="yes", sent="yes")
    case = only(parcel, wid)
    assert (parcel.status(wid), case.state, case.closed_by) == ("F", "applied", "_EXCPT")
    assert events(parcel, wid) == ["opened", "closed"] and broken(parcel) == []


def test_a_blocked_final_opens_a_case(parcel: Kit) -> None:
    wid = blocked(parcel)
    assert (only(parcel, wid).cause, only(parcel, wid).transition) == ("FINAL_BLOCKED", "tr_other, tr_pay")


def test_a_repair_that_leads_to_another_exception_keeps_the_case(parcel: Kit) -> None:
    wid = attempts(parcel)
    first = only(parcel, wid)
    parcel.run("_EXCPT", wid, paid="no")
    case = only(parcel, wid)
    assert (case.number, case.cause, case.transition) == (first.number, "STUCK", "_INIT")
    assert case.seq == parcel.instance(wid).seq > case.opened_seq
    assert events(parcel, wid) == ["opened", "changed"]
    parcel.run("_EXCPT", wid, paid="never")
    assert (events(parcel, wid), only(parcel, wid).seq) == (["opened", "changed"], case.seq + 1)


def test_an_exception_that_returns_reopens_its_last_case_or_opens_another(parcel: Kit) -> None:
    """By its signature: the values may differ, the truth of the parts of the conditions may not."""
    wid = stuck(parcel)
    parcel.run("_EXCPT", wid, paid="yes")
    parcel.run("tr_send", wid, paid="never")
    assert [each.transition for each in cases(parcel, wid)] == ["tr_pay", "tr_send"]
    for value in ("x", "y"):
        parcel.run("_EXCPT", wid, paid="yes")
        assert parcel.status(wid) == "R"
        parcel.run("tr_send", wid, paid=value)
    first, last = cases(parcel, wid)
    assert (first.state, last.state, last.reopened) == ("applied", "reopened", 2)
    assert last.signed_seq == last.seq and len(last.signature) == 12
    parcel.run("_EXCPT", wid, paid="yes")
    parcel.run("tr_send", wid, paid="zero")
    assert [each.cause for each in cases(parcel, wid)] == ["STUCK", "STUCK", "CONDITION_ERROR"]
    assert broken(parcel) == []


def retried(kit: Kit, wid: int) -> None:
    job = next(each.id for each in kit.pending(wid) if each.trname == "tr_pay")
    api.operations.retry_job(wid, job, "Again.", conn=kit.conn)


def cancelled(kit: Kit, wid: int) -> None:
    api.instances.cancel(wid, "Enough.", conn=kit.conn)


def cancelled_while_suspended(kit: Kit, wid: int) -> None:
    api.operations.suspend(wid, "Wait.", conn=kit.conn)
    assert only(kit, wid).state == "new" and broken(kit) == []
    api.instances.cancel(wid, "Enough.", conn=kit.conn)


def republished(kit: Kit, wid: int) -> None:
    definition = api.flows.definition(kit.name, conn=kit.conn)
    definition["triggers"] = [t for t in definition["triggers"] if t.get("transition") != "tr_pay"]
    definition["triggers"].append({"transition": "tr_new", "predicate": "paid is null"})
    kit.publish(definition)


@pytest.mark.parametrize(
    ("end", "state"),
    [(retried, "applied"), (cancelled, "closed"), (cancelled_while_suspended, "closed"),
     (republished, "closed")],
)  # fmt: skip
def test_each_way_out_of_an_exception_closes_its_case(
    parcel: Kit, end: Callable[[Kit, int], None], state: str
) -> None:
    wid = attempts(parcel)
    end(parcel, wid)
    assert (parcel.status(wid) != "E", only(parcel, wid).state) == (True, state)
    assert broken(parcel) == []


def test_a_suspended_exception_keeps_its_case(parcel: Kit) -> None:
    wid = attempts(parcel)
    api.operations.suspend(wid, "Wait.", conn=parcel.conn)
    api.operations.resume(wid, "Go on.", conn=parcel.conn)
    assert (parcel.status(wid), only(parcel, wid).state) == ("E", "new")
    assert events(parcel, wid) == ["opened"] and broken(parcel) == []


def test_a_publication_opens_and_closes_the_cases_of_all_instances(parcel: Kit) -> None:
    wids = [parcel.start(paid="yes") for _ in range(30)]
    before = api.flows.definition(parcel.name, conn=parcel.conn)
    for trigger in before["triggers"]:
        trigger.pop("id", None)
    api.flows.publish(parcel.name, before | {"triggers": before["triggers"][:1]}, conn=parcel.conn)
    assert {only(parcel, wid).state for wid in wids} == {"new"} and broken(parcel) == []
    api.flows.publish(parcel.name, before, conn=parcel.conn)
    assert {only(parcel, wid).closed_by for wid in wids} == {"_REMATCH"} and broken(parcel) == []


def test_a_commit_that_is_rolled_back_opens_no_case(parcel: Kit) -> None:
    wid = parcel.start()
    with pytest.raises(ZeroDivisionError), parcel.conn.transaction():
        parcel.fail("tr_pay", wid, why="declined")
        assert only(parcel, wid).state == "new"
        raise ZeroDivisionError
    assert cases(parcel, wid) == []


def test_cases_of_one_cause_have_one_signature(parcel: Kit) -> None:
    same = [stuck(parcel, "no"), stuck(parcel, "never")]
    other = [attempts(parcel), stuck(parcel, "zero"), stuck(parcel, "")]
    reaper = parcel.connect("wed_reaper")
    assert api.cases.sign(1, conn=reaper) == 1 and api.cases.sign(conn=reaper) >= 4
    found = {wid: only(parcel, wid).signature for wid in same + other}
    assert found[same[0]] == found[same[1]] != ""
    assert len(set(found.values())) == 3, "an empty text is the same cause as another one"
    assert api.cases.sign(conn=reaper) == 0
    groups = api.cases.groups([parcel.name], conn=parcel.conn)
    assert [(each.open, each.last_day, each.cause) for each in groups] == [
        (3, 3, "STUCK"), (1, 1, "ATTEMPTS"), (1, 1, "CONDITION_ERROR"),
    ]  # fmt: skip
    assert {each.signature for each in groups} == set(found.values())


def test_cases_are_selected_by_several_signatures(parcel: Kit) -> None:
    """As a page does for groups that have the same texts, also those that have no signature yet."""
    first, second, other = stuck(parcel), stuck(parcel, ""), attempts(parcel)
    api.cases.sign(conn=parcel.connect("wed_reaper"))
    one, two = (only(parcel, wid).signature for wid in (first, other))
    unsigned = stuck(parcel)
    for signatures, wids in (
        (one, {first, second}),
        (f"{one},{two}", {first, second, other}),
        (f"{two},", {other, unsigned}),
        ("", {unsigned}),
        (f"{one}{two}", set()),
    ):
        where = {"signature": signatures}
        found = api.cases.list([parcel.name], where, conn=parcel.conn)
        assert {each.wid for each in found} == wids, signatures
        query = "select wid from wedsql.group_instances(%s, '', %s, '', 100)"
        of_group = {each.wid for each in parcel.rows(query, [parcel.name, signatures])}
        assert of_group == (wids if signatures else {first, second, other, unsigned}), signatures


def test_a_case_without_its_exception_and_the_reverse_violate_an_invariant(parcel: Kit) -> None:
    wid = stuck(parcel)
    parcel.rows("update wedsql.repair_case set closed_at = now(), state = 'closed' where wid = %s", [wid])
    assert broken(parcel) == ["I10"]
    parcel.rows("update wedsql.repair_case set closed_at = null, state = 'new' where wid = %s", [wid])
    assert broken(parcel) == []
    other = parcel.start()
    parcel.rows(
        "insert into wedsql.repair_case (flow_id, wid, cause, transition, seq, opened_at, opened_seq)"
        " values (%s, %s, 'STUCK', '', 1, now(), 1)",
        [parcel.id, other],
    )
    assert broken(parcel) == ["I10"]


def test_an_upgrade_opens_cases_for_the_exceptions_that_there_are(parcel: Kit) -> None:
    suspended = attempts(parcel)
    wids = [stuck(parcel), limit(parcel), suspended]
    api.operations.suspend(suspended, "Wait.", conn=parcel.conn)
    running = parcel.start()
    parcel.rows("delete from wedsql.repair_case where flow_id = %s", [parcel.id])
    assert broken(parcel) == ["I10"]
    text = (kernel.SQL_DIR / "tables" / "0010_cases.sql").read_text()
    parcel.conn.execute(text.partition("-- The exceptions that there are already.")[2].encode())
    assert broken(parcel) == [] == cases(parcel, running)
    assert [(only(parcel, wid).cause, only(parcel, wid).transition) for wid in wids] == [
        ("STUCK", "tr_pay"), ("LOOP", "tr_loop"), ("ATTEMPTS", "tr_pay"),
    ]  # fmt: skip
    assert {tuple(events(parcel, wid)) for wid in wids} == {("opened",)}


def test_a_signature_that_cannot_be_computed_hinders_no_commit(parcel: Kit) -> None:
    wid = stuck(parcel)
    with pytest.raises(ZeroDivisionError), parcel.conn.transaction():
        parcel.rows(
            "create or replace function wedsql._signatures(p_flow integer, p_wids integer[],"
            " p_seqs integer[], p_causes text[], p_transitions text[]) returns text[] language plpgsql"
            " as 'begin raise exception ''no''; end'"
        )
        assert api.cases.sign(conn=parcel.conn) == 0
        query = "select n, message from wedsql.trouble where kind = 'signatures' and flow_id = %s"
        noted = parcel.rows(query, [parcel.id])
        assert noted == [(1, "no")]
        parcel.run("_EXCPT", wid, paid="yes")
        parcel.run("tr_send", wid, paid="no")
        assert [each.state for each in cases(parcel, wid)] == ["applied", "new"] and broken(parcel) == []
        raise ZeroDivisionError
