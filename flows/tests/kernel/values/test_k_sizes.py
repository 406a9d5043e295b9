"""A state has a size limit, and so has a number: the same for every way to write it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel

LIMIT = 1_048_576
LARGE = "x" * LIMIT


@pytest.fixture
def roomy(kit: Kit) -> Kit:
    """A flow whose only transition may write a text, a number and a document."""
    kit.attrs("go", "big", "more")
    kit.attr("n", None, "numeric")
    kit.attr("doc", None, "jsonb")
    kit.trig("tr_x", "go = '1'", timeout="1 hour")
    return kit


def by_update(kit: Kit, wid: int, assignment: str) -> None:
    """Run the paper's UPDATE."""
    with kit.conn.transaction():
        kit.lock(kit.conn, wid, kit.pending(wid)[0].tgid)
        kit.rows(f"update {{f}}.wed_flow set {assignment} where wid = {wid}")


def by_set(kit: Kit, wid: int, assignment: str) -> None:
    """Complete with a SET string, in the mode of the test."""
    with kit.step():
        kit.complete(kit.take("tr_x", wid), set_text=assignment)


WRITES = [by_update, by_set]


def test_a_state_may_be_a_megabyte_and_no_more(roomy: Kit) -> None:
    wid = roomy.start(go="1", big=LARGE[:-200])
    with refused("WD107") as why:
        roomy.run("tr_x", wid, more="y" * 200)
    assert why.facts == {"limit": LIMIT} and roomy.jobs(wid) == ["tr_x"]
    roomy.run("tr_x", wid, more="y")
    with refused("WD107"):
        roomy.run("tr_x", wid, more=LARGE)
    with refused("WD107"):
        roomy.start(go="1", big=LARGE)
    with refused("WD107"):
        roomy.rows("insert into {f}.wed_flow (go, big) values ('1', repeat('x', %s))", [LIMIT])


@pytest.mark.parametrize("write", WRITES)
def test_a_state_cannot_grow_by_expressions(roomy: Kit, write: Callable[[Kit, int, str], None]) -> None:
    wid = roomy.start(go="1", big="x" * (LIMIT // 2))
    with refused("WD107"):
        write(roomy, wid, "more = big || 'x'")
    write(roomy, wid, "more = substr(big, 1, 1000)")
    assert len(roomy.state(wid)["more"]) == 1000


@pytest.mark.parametrize("document", ["1e131071", "[" + ", ".join(["1e131071"] * 9) + "]"])
def test_numbers_that_are_short_only_as_written_count_in_full(roomy: Kit, document: str) -> None:
    wid = roomy.start(go="1")
    for write in WRITES:
        with refused("WD107", "WD003"):
            write(roomy, wid, f"doc = '{document}'")
    with refused("WD107", "WD003"):
        roomy.one("select wedsql.start(%s, %s::jsonb)", [roomy.name, f'{{"go": "1", "doc": {document}}}'])
    with refused("WD107", "WD003"), roomy.conn.transaction():
        roomy.rows("select from {f}.hold('{tr_x}', 1, 'me')".replace("'{tr_x}'", "array['tr_x']"))
        job = roomy.pending(wid)[0].id
        call = f'select "{roomy.name}".complete_held(%s, %s, %s::jsonb)'
        roomy.conn.execute(call, [wid, job, f'{{"doc": {document}}}'])


@pytest.mark.parametrize("number", ["1e1000", "1e5000", "1e131071", "-1e5000", "1e-1000"])
def test_a_number_has_at_most_a_thousand_digits(roomy: Kit, number: str) -> None:
    with refused("WD003") as why:
        roomy.one("select wedsql.start(%s, %s::jsonb)", [roomy.name, f'{{"go": "1", "n": {number}}}'])
    assert json.loads(why.detail)["attribute"] == "n"
    wid = roomy.start(go="1")
    with refused("WD003"):
        roomy.run("tr_x", wid, n=number)
    for write in WRITES:
        with refused("WD003"):
            write(roomy, wid, f"n = '{number}'")
    with refused("WD003"):
        roomy.attr("m", number, "numeric")
    roomy.run("tr_x", wid, n="9" * 1000)
    assert len(str(roomy.one("select n::text from {f}.wed_flow where wid = %s", [wid]))) == 1000


@pytest.mark.parametrize("number", ["1e400000", "1e99999999999", "9" * 140_000])
def test_a_number_beyond_postgresql_s_range_is_a_wrong_value(roomy: Kit, number: str) -> None:
    wid = roomy.start(go="1")
    with refused("WD003"):
        roomy.start(go="1", n=number)
    with refused("WD003", "WD101"):
        roomy.run("tr_x", wid, n=number)
    if len(number) < 100:
        with refused("WD211"):
            by_set(roomy, wid, f"n = '{number}'")


def test_a_default_is_short(kit: Kit) -> None:
    with refused("WD003"):
        kit.attr("a", "x" * 10_001)
    kit.attr("a", "x" * 10_000)


def test_a_state_from_before_the_limit_may_become_smaller(roomy: Kit) -> None:
    wid = roomy.start(go="1")
    roomy.rows("set session_replication_role = replica")
    roomy.rows("update {f}.wed_flow set big = %s, more = %s where wid = %s", [LARGE, LARGE, wid])
    roomy.rows("reset session_replication_role")
    with refused("WD107"):
        roomy.run("tr_x", wid, doc=[1, 2, 3, 4, 5, 6, 7])
    roomy.run("tr_x", wid, more="")
    assert roomy.state(wid)["more"] == ""


@pytest.mark.parametrize(
    "text",
    [
        "big = " + " || ".join(["big"] * 40),
        "more = repeat(big, 100) || repeat(big, 100)",
        "big = translate(big, more, 'x')",
        "big = replace(big, 'x', more)",
        "big = rpad(big, 1000) || lpad(repeat(more, 100), 900) || repeat(big, 100)",
        "go = (string_to_array(big, null) && string_to_array(more, null))::text",
        ", ".join(f"{name} = repeat(big, 60)" for name in ("big", "more", "go")),
    ],
)
def test_a_set_string_cannot_ask_for_much_time_or_memory(roomy: Kit, text: str) -> None:
    """It is rejected before it is evaluated, so that it uses neither."""
    wid = roomy.start(go="1", big="x" * 400_000, more="y" * 400_000)
    with refused("WD211") as why:
        by_set(roomy, wid, text)
    reason = json.loads(why.detail).get("reason")
    assert reason in ("costly", "too_large", "nested_growth"), why.detail


def joined(names: list[str], times: int = 1) -> str:
    """Return the names joined by ||, with null as an empty text."""
    return " || ".join(f"coalesce(lower({name}), '')" for name in names * times)


def test_many_attributes_may_be_joined(kit: Kit) -> None:
    """All values of a state together are no longer than the state."""
    names = [f"a{number}" for number in range(40)]
    kit.attrs("go", *names)
    kit.trig("tr_x", f"go = '1' and {joined(names)} <> 'x'", timeout="1 hour")
    wid = kit.start(go="1", a1="Y")
    by_set(kit, wid, ", ".join(f"{name} = {name} || left(go || 'yy', 3)" for name in names))
    assert kit.state(wid)["a1"] == "Y1yy"


@pytest.mark.parametrize(
    "text",
    [
        joined(["a0", "a1"], 14),
        " || ".join(f"a{number}" for number in range(150)),
        "repeat(a0, 60) || repeat(a1, 60)",
        "replace(a0, 'x', 'yyyyyyyy') || replace(a1, 'x', 'yyyyyyyy') || replace(a0, 'x', 'yyyyyyyy')"
        " || replace(a0, 'x', 'yyyyyyyy') || replace(a0, 'x', 'yyyyyyyy')",
    ],
)
def test_what_is_joined_over_and_over_is_refused(kit: Kit, text: str) -> None:
    kit.attrs("go", *(f"a{number}" for number in range(150 if "a149" in text else 2)))
    with refused("WD006") as why:
        kit.trig("tr_x", f"go = '1' and {text} <> 'x'")
    assert json.loads(why.detail)["reason"] == "too_large"


def test_a_cheap_set_string_is_not_looked_at(roomy: Kit) -> None:
    """The check creates a function and rolls it back, which costs as much as a commit."""
    wid = roomy.start(go="1", big="41", n=1)
    roomy.rows("alter function wedsql.parse_tree(text) rename to parse_tree_away")
    try:
        text = "big = (big::integer + 1)::text, n = n - 1, more = 'done' || big, doc = '[1]'"
        by_set(roomy, wid, text)
        with refused("42883"):  # parse_tree is missing: it was called
            by_set(roomy, wid, "big = translate(big, 'a', 'b')")
    finally:
        roomy.rows("alter function wedsql.parse_tree_away(text) rename to parse_tree")
    assert roomy.state(wid)["big"] == "42"


def test_a_first_state_counts_with_its_defaults(roomy: Kit) -> None:
    roomy.attr("d", "y" * 9000)
    with refused("WD107"):
        roomy.start(go="1", big="x" * (LIMIT - 5000))
