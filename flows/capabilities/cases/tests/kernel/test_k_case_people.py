"""What people do with cases, also at the same time as others and as the exception ends."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from flows import api
from flows.capabilities.cases.api import Case, CaseRule
from flows.tests.kit import Connection, Kit, broken, refused
from testkit.waiting import until

pytestmark = pytest.mark.kernel


@pytest.fixture
def desk(kit: Kit) -> Kit:
    """A flow whose instances become exceptions with their first step."""
    kit.rows("set timezone = 'UTC'; set datestyle = 'ISO'")
    kit.attr("amount", 0, "integer")
    kit.attr("place", "here")
    kit.trig("tr_x", "amount >= 0")
    kit.final("amount = -1")
    return kit


def stuck(kit: Kit, place: str = "here") -> Case:
    wid = kit.start(place=place)
    kit.run("tr_x", wid, amount=-2)
    return open_case(kit, wid)


def open_case(kit: Kit, wid: int) -> Case:
    (found,) = api.cases.list([kit.name], {"wid": wid}, conn=kit.conn)
    return found


def kinds(kit: Kit, case: Case) -> list[str]:
    return [each.kind for each in api.cases.read(case.number, conn=kit.conn).history]


def test_a_repair_of_a_case_that_another_user_has_claimed_says_so_to_both(desk: Kit) -> None:
    case, conn = stuck(desk), desk.conn
    given: tuple[int, str, dict[str, Any]] = (case.wid, "patch", {"changes": {"place": "there"}})
    api.cases.claim(case.number, "ann", conn=conn)
    api.cases.claim(case.number, "bob", take_over="Ann is ill.", conn=conn)
    shown = api.repairs.preview(*given, actor="cyd", conn=conn).facts["claim"]
    assert (shown["case"], shown["owner"], shown["reason"]) == (case.number, "bob", "Ann is ill.")
    assert "repaired" not in kinds(desk, case), "a preview writes nothing"
    assert api.repairs.preview(*given, actor="bob", conn=conn).facts == {}
    assert api.repairs.repair(*given, "Hurry.", actor="cyd", conn=conn).facts["claim"]["owner"] == "bob"
    last = api.cases.read(case.number, conn=conn).history[-1]
    assert (last.kind, last.actor, last.text, last.detail["owner"]) == ("repaired", "cyd", "Hurry.", "bob")
    final: tuple[int, str, dict[str, Any]] = (case.wid, "patch", {"changes": {"amount": -1}})
    assert api.repairs.repair(*final, "Mine.", actor="bob", conn=conn).facts == {}
    assert kinds(desk, case).count("repaired") == 1 and broken(desk) == []


def test_a_claim_is_renewed_taken_over_released_and_ends(desk: Kit) -> None:
    case, conn = stuck(desk), desk.conn
    claimed = api.cases.claim(case.number, "ann", 10, conn=conn)
    assert (claimed.state, claimed.owner) == ("claimed", "ann") and claimed.claimed_until_at is not None
    longer = api.cases.claim(case.number, "ann", 60, conn=conn)
    assert longer.claimed_until_at is not None and longer.claimed_until_at > claimed.claimed_until_at
    for call in (
        lambda: api.cases.claim(case.number, "bob", conn=conn),
        lambda: api.cases.release(case.number, "bob", conn=conn),
        lambda: api.cases.wait(case.number, datetime.now(UTC) + timedelta(hours=1), "bob", conn=conn),
    ):
        with refused("WD516") as why:
            call()
        assert why.facts["owner"] == "ann"
    assert api.cases.claim(case.number, "bob", take_over="Ann is ill.", conn=conn).owner == "bob"
    assert api.cases.release(case.number, "bob", conn=conn).owner == ""
    with refused("WD517"):
        api.cases.release(case.number, "bob", conn=conn)
    api.cases.claim(case.number, "ann", 10, conn=conn)
    desk.clock("11 minutes")
    assert (open_case(desk, case.wid).state, open_case(desk, case.wid).owner) == ("new", "")
    assert api.cases.claim(case.number, "bob", 10, conn=conn).owner == "bob"
    entries = api.cases.read(case.number, conn=conn).history
    assert [(each.kind, each.actor) for each in entries[1:]] == [
        ("claimed", "ann"), ("taken_over", "bob"), ("released", "bob"), ("claimed", "ann"),
        ("claimed", "bob"),
    ]  # fmt: skip
    assert (entries[2].text, entries[2].detail) == ("Ann is ill.", {"from": "ann"})


def test_a_case_waits_for_information_until_a_time(desk: Kit) -> None:
    case, conn = stuck(desk), desk.conn
    api.cases.claim(case.number, "ann", conn=conn)
    until = datetime.now(UTC) + timedelta(hours=2)
    waiting = api.cases.wait(case.number, until, "ann", "The bank is asked.", conn=conn)
    assert (waiting.state, waiting.owner, waiting.waits_until_at) == ("waiting", "ann", until)
    assert api.cases.next(None, "bob", flows=[desk.name], conn=conn) is None
    desk.clock("3 hours")
    found = api.cases.next(None, "bob", flows=[desk.name], conn=conn)
    assert found is not None and (found.number, found.waits_until_at) == (case.number, None)
    for wrong in (datetime.now(UTC), datetime.now(UTC) + timedelta(days=400)):
        with refused("WD514"):
            api.cases.wait(case.number, wrong, "bob", conn=conn)


def test_values_are_changed_and_comments_added(desk: Kit) -> None:
    case, conn = stuck(desk), desk.conn
    api.cases.claim(case.number, "ann", conn=conn)
    due = datetime(2030, 1, 2, 3, 4, tzinfo=UTC)
    changes = {"queue": "cards", "severity": "high", "priority": 90, "due_at": due, "reason_code": "bank"}
    changed = api.cases.change(case.number, changes, "boss", conn=conn)
    assert {name: getattr(changed, name) for name in changes} == changes
    assert api.cases.change(case.number, {"due_at": None, "priority": 90}, "boss", conn=conn).due_at is None
    api.cases.change(case.number, {"priority": 90}, "boss", conn=conn)
    api.cases.comment(case.number, "bob", " Who knows? ", conn=conn)
    entries = api.cases.read(case.number, conn=conn).history[2:]
    assert [each.kind for each in entries] == ["set", "set", "commented"]
    assert (entries[1].detail, entries[2].text) == ({"due_at": None}, "Who knows?")
    for wrong in ({"priority": 101}, {"priority": None}, {"severity": "odd"}, {"queue": "A b"},
                  {"reason_code": "Bank!"}, {"owner": "eve"}):  # fmt: skip
        with refused("WD514"):
            api.cases.change(case.number, wrong, "boss", conn=conn)
    for text in (" ", "x" * 4001):
        with refused("WD514"):
            api.cases.comment(case.number, "bob", text, conn=conn)
    for minutes in (0, 1441):
        with refused("WD514"):
            api.cases.claim(case.number, "ann", minutes, conn=conn)


def test_a_closed_case_takes_comments_and_a_reason_code_only(desk: Kit) -> None:
    case, conn = stuck(desk), desk.conn
    desk.run("_EXCPT", case.wid, amount=-1)
    assert api.cases.list([desk.name], conn=conn) == []
    assert [each.number for each in api.cases.list([desk.name], closed=True, conn=conn)] == [case.number]
    for call in (
        lambda: api.cases.claim(case.number, "ann", conn=conn),
        lambda: api.cases.claim(case.number, "ann", take_over="Now.", conn=conn),
        lambda: api.cases.change(case.number, {"priority": 1}, "ann", conn=conn),
    ):
        with refused("WD517"):
            call()
    api.cases.comment(case.number, "ann", "Done.", conn=conn)
    assert api.cases.change(case.number, {"reason_code": "bank"}, "ann", conn=conn).reason_code == "bank"
    assert api.cases.next(None, "ann", flows=[desk.name], conn=conn) is None


def test_cases_of_other_flows_are_unknown(desk: Kit) -> None:
    case, conn, other = stuck(desk), desk.conn, ["other"]
    for call in (
        lambda: api.cases.read(case.number, other, conn=conn),
        lambda: api.cases.claim(case.number, "eve", flows=other, conn=conn),
        lambda: api.cases.claim(case.number, "eve", take_over="Now.", flows=other, conn=conn),
        lambda: api.cases.release(case.number, "eve", flows=other, conn=conn),
        lambda: api.cases.comment(case.number, "eve", "x", flows=other, conn=conn),
        lambda: api.cases.wait(case.number, datetime.now(UTC), "eve", flows=other, conn=conn),
        lambda: api.cases.change(case.number, {"priority": 1}, "eve", flows=other, conn=conn),
        lambda: api.cases.read(2**40, conn=conn),
    ):
        with refused("WD515"):
            call()
    assert api.cases.list(other, conn=conn) == api.cases.groups(other, conn=conn) == []
    assert api.cases.next(None, "eve", flows=other, conn=conn) is None
    assert kinds(desk, case) == ["opened"]


def test_the_most_urgent_case_is_the_next_and_pages_continue_after_a_case(desk: Kit) -> None:
    found, conn = [stuck(desk) for _ in range(5)], desk.conn
    due = datetime.now(UTC) + timedelta(hours=1)
    api.cases.change(found[1].number, {"due_at": due}, "ann", conn=conn)
    api.cases.change(found[3].number, {"priority": 60}, "ann", conn=conn)
    api.cases.change(found[4].number, {"due_at": due - timedelta(minutes=5)}, "ann", conn=conn)
    api.cases.change(found[2].number, {"priority": 10, "queue": "late"}, "ann", conn=conn)
    expected = [found[n].number for n in (3, 4, 1, 0, 2)]
    shown: list[int] = []
    while page := api.cases.list([desk.name], after=shown[-1] if shown else None, limit=2, conn=conn):
        shown += [each.number for each in page]
    assert shown == expected
    assert [each.number for each in api.cases.list([desk.name], {"queue": "late"}, conn=conn)] == expected[4:]
    first = api.cases.next("late", "ann", flows=[desk.name], conn=conn)
    taken = [api.cases.next(None, "ann", flows=[desk.name], conn=conn) for _ in range(5)]
    assert first is not None and first.number == expected[4]
    assert [each.number for each in taken if each] == expected[:4]
    with refused("WD514"):
        api.cases.list([desk.name], {"colour": "red"}, conn=conn)
    mine = api.cases.list([desk.name], {"owner": "ann", "state": "claimed"}, conn=conn)
    assert [each.number for each in mine] == expected


def test_the_next_case_of_a_queue_that_there_is_not_is_refused(desk: Kit) -> None:
    """A mistyped name would look like a queue in which nothing waits."""
    api.cases.save_rules(desk.name, [CaseRule("cards", "place = 'far'")], "boss", conn=desk.conn)
    for queue in ("default", "cards", None):
        assert api.cases.next(queue, "ann", flows=[desk.name], conn=desk.conn) is None
    with refused("WD514") as why:
        api.cases.next("crads", "ann", flows=[desk.name], conn=desk.conn)
    assert why.message == 'There is no queue "crads".' and why.hint == "Queues of rules are: cards, default."
    found = stuck(desk)
    api.cases.change(found.number, {"queue": "by-hand"}, "ann", conn=desk.conn)
    api.cases.claim(found.number, "bob", conn=desk.conn)
    assert api.cases.next("by-hand", "ann", flows=[desk.name], conn=desk.conn) is None


def test_the_first_rule_that_holds_routes_a_case(desk: Kit) -> None:
    conn = desk.conn
    rules = [CaseRule("far-away", "place = 'far'", "high", 80, 3600), CaseRule("fails", "1 / amount = 1"),
             CaseRule("near", "coalesce(place, 'far') in ('here', 'far') and amount < 0", priority=70),
             CaseRule("low", "amount = -3")]  # fmt: skip
    saved = api.cases.save_rules(desk.name, rules, "boss", conn=conn)
    assert [(each.queue, each.due_after, each.missing) for each in saved] == [
        ("far-away", 3600, []), ("fails", None, []), ("near", None, []), ("low", None, []),
    ]  # fmt: skip
    far, near, none = stuck(desk, "far"), stuck(desk), stuck(desk, "home")
    assert (far.queue, far.severity, far.priority) == ("far-away", "high", 80)
    assert far.due_at == far.opened_at + timedelta(hours=1)
    assert (near.queue, near.severity, near.priority, near.due_at) == ("near", "normal", 70, None)
    assert (none.queue, none.priority) == ("default", 50)
    desk.rows("delete from {f}.wed_attr where aname = 'place'")
    wid = desk.start()
    desk.run("tr_x", wid, amount=-3)
    assert open_case(desk, wid).queue == "low", "rules about what the flow no longer has are left out"
    missing = [each.missing for each in api.cases.list_rules(desk.name, conn=conn)]
    assert missing == [["place"], [], ["place"], []]
    with refused("WD005"), conn.transaction():
        api.cases.save_rules(desk.name, [CaseRule("a", "amount = (select 1)")], "boss", conn=conn)
    for wrong in (CaseRule("A"), CaseRule("a", severity="odd"), CaseRule("a", priority=-1),
                  CaseRule("a", due_after=1)):  # fmt: skip
        with refused("WD514"), conn.transaction():
            api.cases.save_rules(desk.name, [wrong], "boss", conn=conn)
    assert len(api.cases.list_rules(desk.name, conn=conn)) == 4


def together(
    kit: Kit, one: Callable[[Connection], Any], two: Callable[[Connection], Any], *, waits: bool = True
) -> list[Any]:
    """Call both in two sessions, the second before the first commits; `waits`: for a lock of the first."""
    first, second = kit.connect(), kit.connect()
    with ThreadPoolExecutor() as pool:
        with first.transaction():
            found = one(first)
            later = pool.submit(two, second)
            until(lambda: later.done() or (waits and is_waiting(kit, second)))
        return [found, later]


def is_waiting(kit: Kit, conn: Connection) -> bool:
    query = "select wait_event_type = 'Lock' from pg_stat_activity where pid = %s"
    return bool(kit.one(query, [conn.info.backend_pid]))


def test_of_two_clerks_who_claim_one_case_one_gets_it(desk: Kit) -> None:
    case = stuck(desk)

    def second_call(conn: Connection) -> Case:
        return api.cases.claim(case.number, "bob", conn=conn)

    claimed, second = together(desk, lambda conn: api.cases.claim(case.number, "ann", conn=conn), second_call)
    assert claimed.owner == "ann"
    with refused("WD516"):
        second.result(10)
    assert kinds(desk, case) == ["opened", "claimed"]


def test_two_who_ask_for_the_next_case_get_two(desk: Kit) -> None:
    cases = {stuck(desk).number, stuck(desk).number}

    def take(conn: Connection) -> Case | None:
        return api.cases.next(None, "bob", flows=[desk.name], conn=conn)

    first, second = together(desk, take, take, waits=False)
    assert {first.number, second.result(10).number} == cases


def test_a_claim_that_waits_for_the_end_of_the_exception_is_refused(desk: Kit) -> None:
    case = stuck(desk)

    def repair(conn: Connection) -> None:
        with desk.step(conn):
            desk.complete(desk.take("_EXCPT", case.wid, conn), {"amount": -1}, conn=conn)

    def second_call(conn: Connection) -> Case:
        return api.cases.claim(case.number, "bob", conn=conn)

    _, second = together(desk, repair, second_call)
    with refused("WD517"):
        second.result(10)
    assert api.cases.read(case.number, conn=desk.conn).state == "applied" and broken(desk) == []


def test_the_end_of_an_exception_closes_a_case_that_is_being_claimed(desk: Kit) -> None:
    case = stuck(desk)

    def second_call(conn: Connection) -> None:
        with desk.step(conn):
            desk.complete(desk.take("_EXCPT", case.wid, conn), {"amount": -1}, conn=conn)

    _, second = together(desk, lambda conn: api.cases.claim(case.number, "ann", conn=conn), second_call)
    second.result(10)
    closed = api.cases.read(case.number, conn=desk.conn)
    assert (closed.state, closed.owner, closed.claimed_until_at) == ("applied", "ann", None)
    assert kinds(desk, case) == ["opened", "claimed", "closed"] and broken(desk) == []


def test_a_case_is_given_to_a_colleague(desk: Kit) -> None:
    case, conn = stuck(desk), desk.conn
    for nameless in ("", "  ", "ann"):
        with refused("WD514"):
            api.cases.give(case.number, nameless, "ann", conn=conn)
    given = api.cases.give(case.number, "bob", "ann", "You know the customer.", conn=conn)
    assert (given.state, given.owner) == ("claimed", "bob")
    last = api.cases.read(case.number, conn=conn).history[-1]
    assert (last.kind, last.actor, last.text, last.detail) == (
        "given", "ann", "You know the customer.", {"to": "bob"},
    )  # fmt: skip
    with refused("WD516"):  # it is no longer hers to give
        api.cases.give(case.number, "cyd", "ann", conn=conn)
    assert api.cases.give(case.number, "cyd", "bob", conn=conn).owner == "cyd"
    facts = api.repairs.preview(case.wid, "patch", {"changes": {"place": "x"}}, actor="ann", conn=conn).facts
    assert facts["claim"]["owner"] == "cyd" and facts["claim"]["since"] is not None
    with refused("WD515"):
        api.cases.give(case.number, "ann", "cyd", flows=["none_such"], conn=conn)
    desk.clock("25 hours")
    assert open_case(desk, case.wid).owner == ""
    assert broken(desk) == []
