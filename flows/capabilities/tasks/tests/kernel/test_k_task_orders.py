"""The orders of lists of tasks (T-109, T-120, R-012), and what the first page of one reads."""

from __future__ import annotations

import random
import threading
from typing import Any

import pytest

from flows import api
from flows.capabilities.tasks.api import ORDERS, Task
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel

CLERK = ["r:Clerk"]
ROLES = [f"r:Role {number}" for number in range(12)]


@pytest.fixture
def office(kit: Kit) -> Kit:
    """A clerk reads what may be long, with an application or without."""
    kit.attrs("text", "done")
    kit.attr("kind")
    kit.attr("scan", kind="jsonb")
    common = {"performer": "person", "role": "Clerk", "writes": ["done"]}
    kit.trig("tr_read", "done is null and kind is null", **common)
    kit.trig("tr_draw", "done is null and kind = 'cad'", application="https://cad.example/{kind}", **common)
    kit.trig("tr_sum", "done is null and kind = 'sheet'", application="https://sheet.example/", **common)
    kit.final("done is not null")
    return kit


def listed(kit: Kit, order: Any = "arrival", **options: Any) -> list[Task]:
    return api.tasks.open("ana", CLERK, order, conn=kit.conn, **options)


def numbers(found: list[Task]) -> list[int]:
    return [each.job_id for each in found]


def own(kit: Kit) -> list[int]:
    return numbers(listed(kit, "own"))


def place(kit: Kit, task: int, after: int | None = None, before: int | None = None) -> None:
    api.tasks.place("ana", CLERK, task, after, before, conn=kit.conn)


@pytest.mark.parametrize("order", ORDERS)
def test_the_pages_of_each_order_are_the_whole_list(office: Kit, order: Any) -> None:
    chance = random.Random(order)  # noqa: S311
    for number in range(23):
        kind = chance.choice([None, None, "cad", "sheet"])
        office.start(text="x" * chance.choice([1, 1, 500, 9]), **({"kind": kind} if kind else {}))
        if number % 5 == 0:
            tasks = numbers(listed(office))
            api.tasks.place("ana", CLERK, tasks[-1], None, tasks[0], conn=office.conn) if number else None
    whole = listed(office, order)
    assert len(whole) == 23
    for size in (1, 4, 22):
        pages: list[Task] = []
        while page := listed(office, order, after=pages[-1].job_id if pages else None, limit=size):
            pages += page
        assert pages == whole


def test_the_size_of_a_task_is_that_of_its_values_and_their_files(office: Kit) -> None:
    file = {"name": "scan.png", "size": 70_000, "hash": "x"}
    office.start(text="é" * 10)
    office.start(text="12345", scan=[file, {**file, "size": -3}, {"size": 1}, {"name": "n", "size": "big"}])
    office.start()
    sizes = [each.size for each in listed(office)]
    assert sizes[0] == 20 and sizes[2] == 0 and 70_000 < sizes[1] < 71_000
    assert [each.size for each in listed(office, "size")] == sorted(sizes)


def test_the_readiest_is_first_what_needs_no_application_that_is_new(office: Kit) -> None:
    cad, sheet = office.start(text="x", kind="cad"), office.start(text="xxx", kind="sheet")
    more, plain = office.start(text="xx", kind="cad"), office.start(text="xxxx")
    assert [each.wid for each in listed(office, "readiest")] == [plain, cad, more, sheet]
    (first,) = (each.job_id for each in listed(office) if each.wid == sheet)
    api.tasks.take(first, "ana", CLERK, conn=office.conn)
    api.tasks.complete(first, "ana", {"done": "yes"}, conn=office.conn)
    again = office.start(text="xxxxx", kind="sheet")
    assert [each.wid for each in listed(office, "readiest")] == [plain, again, cad, more]
    bob = api.tasks.open("bob", CLERK, "readiest", conn=office.conn)
    assert [each.wid for each in bob] == [plain, cad, more, again], "bob has not used it"


def test_a_published_application_counts_for_tasks_that_are_open(office: Kit) -> None:
    cad, plain = office.start(text="x", kind="cad"), office.start(text="x" * 9)
    office.rows("update {f}.wed_trig set application = null where trname = 'tr_draw'")
    assert [each.wid for each in listed(office, "readiest")] == [cad, plain]


def test_an_order_of_ones_own_is_what_moving_makes_of_it(office: Kit) -> None:
    """Random moves, arrivals, and tasks of the same moment, compared with a list in Python."""
    with office.conn.transaction():  # one moment for all
        for _ in range(4):
            office.start(text="x")
    for _ in range(4):
        office.start(text="x")
    chance, expected = random.Random(11), own(office)  # noqa: S311
    assert expected == numbers(listed(office))
    for turn in range(150):
        task = expected.pop(chance.randrange(len(expected)))
        at = chance.choice([0, len(expected), chance.randint(0, len(expected)), 1, 1])
        expected.insert(at, task)
        after = expected[at - 1] if at else None
        before = expected[at + 1] if at + 1 < len(expected) else None
        if after and before and turn % 3 == 0:
            after, before = (after, None) if turn % 2 else (None, before)  # one neighbour is enough
        place(office, task, after, before)
        assert own(office) == expected, turn
        if turn % 50 == 49:
            office.start(text="x")
            expected = [*expected, *(each for each in own(office) if each not in expected)]
            assert own(office)[-1] == expected[-1], "what arrives is behind"
    other = api.tasks.open("ana", CLERK, "own", conn=office.connect())
    assert numbers(other) == expected, "it follows the person to another machine"
    assert numbers(api.tasks.open("bob", CLERK, "own", conn=office.conn)) == numbers(listed(office))
    api.tasks.clear_places("ana", conn=office.conn)
    assert own(office) == numbers(listed(office))


def test_tasks_that_are_held_have_the_same_orders(office: Kit) -> None:
    for length in (3, 1, 2):
        office.start(text="x" * length)
    first, second, third = numbers(listed(office))
    place(office, third, None, first)
    for task in (second, first, third):
        api.tasks.take(task, "ana", CLERK, conn=office.conn)
    for order, expected in {
        "arrival": [first, second, third], "size": [second, third, first], "own": [third, first, second],
    }.items():  # fmt: skip
        assert numbers(api.tasks.own("ana", order=order, conn=office.conn)) == expected  # type: ignore[arg-type]
    with refused("WD009"):
        api.tasks.own("ana", order="colour", conn=office.conn)  # type: ignore[arg-type]


def test_what_cannot_be_put_somewhere_is_refused_and_the_order_stays(office: Kit) -> None:
    for _ in range(3):
        office.start(text="x")
    first, second, third = numbers(listed(office))
    for after, before, code in (
        (None, None, "WD009"), (first, None, "WD009"), (third, second, "WD009"), (2**60, None, "WD590"),
    ):  # fmt: skip
        with refused(code):
            place(office, first, after, before)
    with refused("WD591"):
        api.tasks.place("bob", ["r:Boss"], first, second, None, conn=office.conn)
    with refused("WD009"):
        api.tasks.place("", CLERK, first, second, None, conn=office.conn)
    api.tasks.take(second, "ana", CLERK, conn=office.conn)
    api.tasks.complete(second, "ana", {"done": "yes"}, conn=office.conn)
    with refused("WD593"):
        place(office, first, second)
    assert own(office) == [first, third]


def test_the_places_of_ended_tasks_are_removed(office: Kit) -> None:
    for _ in range(3):
        office.start(text="x")
    first, second, _third = numbers(listed(office))
    place(office, first, second)
    api.tasks.take(first, "ana", CLERK, conn=office.conn)
    api.tasks.complete(first, "ana", {"done": "yes"}, conn=office.conn)
    api.maintenance.maintain(conn=office.conn)
    assert office.one("select count(*) from wedsql.task_place where job_id = %s", [first]) == 0


def test_a_person_has_500_places_and_those_of_ended_tasks_make_room(office: Kit) -> None:
    for _ in range(3):
        office.start(text="x")
    first, second, _third = numbers(listed(office))
    fill = "insert into wedsql.task_place select 'ana', {}, now(), g from generate_series(1, 500) g"
    office.rows(fill.format("-g"))
    place(office, first, second)  # these were of no task
    assert office.one("select count(*) from wedsql.task_place where person = 'ana'") == 1
    fill_tasks(office, 500, "R", ["r:Clerk"])
    office.rows(fill.format("5000000000 + g"))
    with refused("WD009"):
        place(office, second, None, first)
    office.rows("delete from wedsql.task_place where person = 'ana'")
    office.rows("delete from wedsql.task where job_id > 5000000000")


def test_how_a_person_has_tasks_listed_is_kept(office: Kit) -> None:
    assert api.tasks.list("eva", conn=office.conn) == api.tasks.list("eva", conn=office.connect())
    api.tasks.set_list("eva", "deadline", conn=office.conn)
    api.tasks.set_list("eva", columns=["due", "amount"], conn=office.conn)
    kept = api.tasks.list("eva", conn=office.connect())
    assert (kept.sorting, kept.columns) == ("deadline", ["due", "amount"])
    api.tasks.set_list("eva", "own", [], conn=office.conn)
    kept = api.tasks.list("eva", conn=office.conn)
    assert (kept.sorting, kept.columns) == ("own", None)
    for sorting, columns in (("colour", None), ("own", ["x"] * 21), ("own", [""]), ("own", ["x" * 81])):
        with refused("WD009"):
            api.tasks.set_list("eva", sorting, columns, conn=office.conn)  # type: ignore[arg-type]


def test_what_is_new_to_a_person(office: Kit) -> None:
    office.start(text="x")
    (newest,) = api.tasks.newest("ana", CLERK, conn=office.conn)
    assert api.tasks.newest("ana", CLERK, newest.job_id, conn=office.conn) == []
    for _ in range(4):
        office.start(text="x")
    found = numbers(api.tasks.newest("ana", CLERK, newest.job_id, 3, conn=office.conn))
    assert found == sorted(numbers(listed(office)))[:1:-1] and len(found) == 3
    assert api.tasks.newest("ana", ["r:Boss"], conn=office.conn) == []


def test_what_another_session_is_taking_is_left_out_without_waiting(office: Kit) -> None:
    for _ in range(3):
        office.start(text="x")
    tasks, other = numbers(listed(office)), office.connect()
    office.rows("set statement_timeout = '5s'")
    with other.transaction():
        api.tasks.take(tasks[0], "bob", CLERK, conn=other)
        found = api.tasks.take_first(tasks, "ana", CLERK, conn=office.conn)
        assert found is not None and found.job_id == tasks[1]
    assert api.tasks.take_first(tasks[:2], "eva", CLERK, conn=office.conn) is None
    assert api.tasks.take_first([2**60, *tasks], "eva", ["r:Boss"], conn=office.conn) is None
    assert api.tasks.take_first([2**60, *tasks], "eva", CLERK, conn=office.conn).job_id == tasks[2]  # type: ignore[union-attr]


def test_of_fifty_persons_who_want_the_next_task_each_gets_one(office: Kit) -> None:
    for _ in range(50):
        office.start(text="x")
    tasks, got, ready = numbers(listed(office)), [], threading.Barrier(50)

    def take(person: str) -> None:
        conn = office.connect()
        ready.wait()
        found = api.tasks.take_first(tasks, person, CLERK, conn=conn)
        got.append(found.job_id if found else None)

    threads = [threading.Thread(target=take, args=(f"p{number}",)) for number in range(50)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(got) == sorted(tasks), "each another one"


def fill_tasks(kit: Kit, many: int, state: str, audiences: list[str], first: int = 5_000_000_000) -> None:
    """Write so many tasks without jobs, which only lists read."""
    kit.rows(
        "insert into wedsql.task (job_id, wid, tgid, flow_id, audience, rank, arrived_at, due_at, state,"
        " ended_at, ended_by, size) select %(first)s + g, 1000000000 + g, (select min(tgid) from wedsql.trig"
        " where flow_id = %(flow)s and performer = 'person'), %(flow)s,"
        " (%(audiences)s::text[])[1 + abs(hashint4(g)) %% cardinality(%(audiences)s::text[])], - (g %% 5),"
        " '2026-01-01'::timestamptz + make_interval(secs => g / 3), '2026-02-01'::timestamptz"
        " + make_interval(secs => g %% 977), %(state)s::\"char\", case when %(state)s = 'D' then now() end,"
        " case when %(state)s = 'D' then 'ana' end, g %% 1009 from generate_series(1, %(many)s) g",
        {"first": first, "flow": kit.id, "audiences": audiences, "state": state, "many": many},  # type: ignore[arg-type]
    )
    kit.conn.execute("vacuum analyze wedsql.task")


def blocks(kit: Kit, order: str) -> int:
    """Return how many blocks the first page of the open tasks of a person with 12 roles reads."""
    explain = (
        "explain (analyze, buffers, format json) select * from wedsql.open_tasks('ana', %s, %s, null, 51)"
    )
    kit.rows(explain, [ROLES, order])
    (plan,) = kit.one(explain, [ROLES, order])
    return int(plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"])


@pytest.mark.parametrize("order", ORDERS)
def test_the_first_page_costs_the_same_among_many_open_and_many_ended_tasks(kit: Kit, order: str) -> None:
    """It reads a page of rows and looks into an index once or twice for each role."""
    kit.attrs("done")
    kit.trig("tr_read", "done is null", performer="person", role="Role 1", writes=["done"])
    others = [*ROLES, *(f"r:Other {number}" for number in range(12))]
    try:
        fill_tasks(kit, 2_000, "R", others)
        few = blocks(kit, order)
        fill_tasks(kit, 30_000, "R", others, 5_100_000_000)
        fill_tasks(kit, 60_000, "D", others, 5_200_000_000)
        assert len(api.tasks.open("ana", ROLES, order, None, 51, conn=kit.conn)) == 51  # type: ignore[arg-type]
        assert blocks(kit, order) <= min(1.5 * few, 12 * 51)
    finally:
        kit.rows("delete from wedsql.task where job_id > 5000000000")
