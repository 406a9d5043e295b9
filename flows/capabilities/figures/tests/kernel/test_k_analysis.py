"""Analysis: what transitions did in a window, and the folded paths of instances."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from flows.capabilities.figures.tests.kernel.test_k_figures import count
from flows.tests.kit import Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="a mode only makes the history")]

LONGEST_LOOP = 8


def folded(steps: list[str]) -> list[str]:
    """Return the same as the kernel: after each step remove the shortest repetition at the end."""
    path: list[str] = []
    for step in steps:
        path.append(step)
        for length in range(1, LONGEST_LOOP + 1):
            if len(path) >= 2 * length and path[-length:] == path[-2 * length : -length]:
                del path[-length:]
                break
    return path


@pytest.mark.parametrize(
    ("steps", "path"),
    [
        ("", ""),
        ("a b c", "a b c"),
        ("a a a b", "a b"),
        ("a b a b a b c", "a b c"),
        ("a b b a b b c", "a b c"),
        ("a b c a b c a b", "a b c a b"),
        ("1 2 3 4 5 6 7 8 1 2 3 4 5 6 7 8", "1 2 3 4 5 6 7 8"),
        ("1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9", "1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9"),
    ],
)
def test_repetitions_are_kept_once(kit: Kit, steps: str, path: str) -> None:
    assert kit.one("select wedsql.folded_path(%s)", [steps.split()]) == path.split()


def test_random_sequences_are_folded_as_in_python(kit: Kit) -> None:
    chance = random.Random(5)  # noqa: S311
    shorter = 0
    for _ in range(300):
        steps = chance.choices("abc", k=chance.randint(0, 40))
        found = kit.one("select wedsql.folded_path(%s::text[])", [steps])
        assert found == folded(steps), steps
        shorter += len(found) < len(steps)
    assert shorter > 200


@pytest.fixture
def looping(kit: Kit) -> Kit:
    """A flow that checks until it is done, then sends."""
    kit.attrs("checked", "sent")
    kit.rows("insert into {f}.wed_attr (aname, type, adv) values ('n', 'integer', '0')")
    kit.trig("tr_check", "n < 3")
    kit.trig("tr_send", "n >= 3 and sent is null", max_attempts=5, backoff="0")
    kit.final("sent = 'yes'")
    return kit


def test_the_path_of_an_instance_has_its_loops_once(looping: Kit) -> None:
    wid = looping.start()
    assert looping.one("select wedsql.path_of(%s)", [wid]) == ""
    for n in (1, 2, 3):
        looping.run("tr_check", wid, n=n)
    looping.run("tr_send", wid, sent="yes")
    assert looping.one("select wedsql.path_of(%s)", [wid]) == "tr_check > tr_send"
    assert looping.one("select wedsql.path_of(%s, now() + interval '1 day')", [wid]) == ""


WINDOW = "select * from wedsql.transition_figures(%s, %s, %s)"


def test_transitions_of_a_window_are_those_of_the_history(looping: Kit) -> None:
    for _ in range(2):
        wid = looping.start()
        for n in (1, 2, 3):
            looping.run("tr_check", wid, n=n)
    looping.fail("tr_send", wid, why="no carrier")
    looping.run("tr_send", wid, sent="yes")
    count(looping.connect("wed_reaper"))
    (row,) = looping.rows("select now() as at")
    begin, end = row.at - timedelta(hours=1), row.at + timedelta(hours=1)
    found = {each.transition: each for each in looping.rows(WINDOW, [looping.name, begin, end])}
    assert {name: (each.done, each.failed) for name, each in found.items()} == {
        "tr_check": (6, 0),
        "tr_send": (1, 1),
    }
    assert sum(each.share for each in found.values()) == pytest.approx(1)
    assert all(each.total > 0 and each.elapsed_p50 <= each.elapsed_p95 for each in found.values())
    assert looping.rows(WINDOW, [looping.name, begin - timedelta(hours=1), begin]) == []
    with refused("WD009"):
        looping.rows(WINDOW, [looping.name, end, begin])


def fill(kit: Kit, at: str, values: list[object]) -> None:
    """Insert the row of a minute, an hour and a day, which say that 1, 2 and 3 jobs were done."""
    for n, (span, unit) in enumerate({"m": "minute", "h": "hour", "d": "day"}.items(), 1):
        kit.rows(
            "insert into wedsql.figure (span, at, flow_id, trname, done)"
            f' select %s::"char", date_trunc(%s, {at}, %s), %s, %s, %s',
            [span, unit, *values, "UTC", kit.id, "tr_check", n],
        )


@pytest.mark.parametrize(("age", "span"), [("3 days", "m"), ("20 days", "h"), ("100 days", "d")])
def test_a_window_is_read_by_the_narrowest_rows_that_are_kept(looping: Kit, age: str, span: str) -> None:
    fill(looping, "now() - %s::interval", [age])
    window = (
        "select done from wedsql.transition_figures(%s, now() - %s::interval - interval '7 minutes', now())"
    )
    assert looping.one(window, [looping.name, age]) == " mhd".index(span)
    whole = (
        "select done from wedsql.transition_figures(%s, date_trunc('day', now() - %s::interval, 'UTC'),"
        " date_trunc('day', now(), 'UTC'))"
    )
    assert looping.one(whole, [looping.name, age]) == 3


@pytest.mark.parametrize(
    ("every", "end", "done"),
    [
        ("1 day", "2 days", 3),
        ("2 days", "2 days", 3),
        ("1 day", "10 days", 3),  # nothing is later than now, so the last day is whole
        ("1 day", "47 hours", 2),
        ("1 day", "47 hours 59 minutes", 1),
        ("36 hours", "2 days", 2),
        ("1 hour", "47 hours 30 minutes", 1),
        ("90 minutes", "2 days", 1),
    ],
)
def test_figures_are_read_by_rows_that_end_where_the_window_does(
    looping: Kit, every: str, end: str, done: int
) -> None:
    """Also where its steps do: no step gets what happened in another one."""
    (row,) = looping.rows("select date_trunc('day', now(), 'UTC') - interval '3 days' as day")
    fill(looping, "%s + interval '12 hours'", [row.day])
    read = "select sum(done)::integer from wedsql.figures(%s, %s, %s::timestamptz + %s::interval, %s)"
    assert looping.one(read, [looping.name, row.day, row.day, end, every]) == done
