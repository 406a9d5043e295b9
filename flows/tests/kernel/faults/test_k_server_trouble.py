"""Troubles of the server are neither faults of the input nor attempts: one rule in SQL, Python and HTTP."""

from __future__ import annotations

import re
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import errors as postgres

from BaseWorker.server import TRY_AGAIN
from flows import api, kernel
from flows.database_errors import error_for, is_transient
from flows.errors import BY_STATE, ServerTrouble
from flows.tests.kit import Kit, refused
from flows.types import Completion
from pages import sqlstates

pytestmark = pytest.mark.kernel

# Every code that PostgreSQL has, as the driver lists them.
CODES = sorted(
    {
        each.sqlstate
        for each in vars(postgres).values()
        if isinstance(each, type) and issubclass(each, psycopg.Error) and each.sqlstate
    }
)
SHORTAGES = ("53100", "53200", "53300", "58030")


@pytest.fixture
def short(kit: Kit) -> Iterator[Kit]:
    """A flow whose table fails with the code that the session's setting test.fails names."""
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'", max_attempts=2)
    kit.final("a = '2'")
    kit.rows(
        "create function {f}.fail() returns trigger language plpgsql as $$ begin"
        " if coalesce(current_setting('test.fails', true), '') <> '' then"
        " raise exception 'no space left' using errcode = current_setting('test.fails'); end if;"
        " return new; end $$"
    )
    kit.rows(
        "create trigger short before insert or update on {f}.wed_flow"
        " for each row execute function {f}.fail()"
    )
    yield kit
    kit.rows("select set_config('test.fails', '', false)")


def fails(kit: Kit, code: str) -> None:
    kit.rows("select set_config('test.fails', %s, false)", [code])


def test_one_rule_says_what_passes(kit: Kit) -> None:
    assert len(CODES) > 200
    found = kit.rows("select c, wedsql._passes(c), wedsql._is_shortage(c) from unnest(%s::text[]) c", [CODES])
    assert {c: (passes, shortage) for c, passes, shortage in found} == {
        code: (sqlstates.passes(code), sqlstates.is_shortage(code)) for code in CODES
    }
    assert kit.one("select wedsql._passes(null)") is False
    for code in CODES:
        assert code.startswith(TRY_AGAIN) is (sqlstates.passes(code) or code == sqlstates.CANCELLED), code
        assert is_transient(code, "") >= sqlstates.passes(code)


@pytest.mark.parametrize("code", CODES)
def test_what_passes_is_503_and_never_the_input(code: str) -> None:
    error = error_for(code, "a message")
    assert error.transient or not sqlstates.passes(code)
    assert (error.status == 503) is (
        sqlstates.passes(code) or error.transient or code[:2] in ("28", "3D", "57", "72", "F0")
    )
    assert error.status in (409, 422, 500, 503) or code == "3F000"  # there is no such flow


def test_every_error_of_the_kernel_has_a_status() -> None:
    for code, cls in BY_STATE.items():
        assert cls("x", code=code).status in (403, 404, 409, 422, 503), code
    assert BY_STATE["WD517"]("").status == 409 and BY_STATE["WD905"]("").status == 503


@pytest.mark.parametrize("code", SHORTAGES)
def test_a_shortage_is_not_the_fault_of_a_result(code: str, short: Kit) -> None:
    wid = short.start(a="1")
    job = short.lease("tr_x")
    fails(short, code)
    for results in (
        [Completion(job, {"a": "2"})],
        [Completion(job, {"a": "2"}), Completion(job, {"a": "3"})],
    ):
        with pytest.raises(ServerTrouble):
            api.jobs.complete_many(short.name, results, conn=short.conn)
    fails(short, "")
    assert [(each.attempts, each.last_error) for each in short.pending(wid)] == [(0, None)]
    assert api.jobs.complete_many(short.name, [Completion(job, {"a": "2"})], conn=short.conn)[0].ok
    assert short.status(wid) == "F"


def test_a_shortage_is_not_the_fault_of_a_start(short: Kit) -> None:
    fails(short, "53100")
    for states in ([{"a": "1"}], [{"a": "1"}, {"a": "2"}]):
        with pytest.raises(ServerTrouble) as caught:
            api.instances.start_many(short.name, states, conn=short.conn)
        assert caught.value.status == 503
    fails(short, "P0001")
    assert [
        one.error.code
        for one in api.instances.start_many(short.name, [{"a": "1"}], conn=short.conn)
        if one.error
    ] == ["P0001"]


def test_a_handler_that_met_a_shortage_has_used_no_attempt(short: Kit) -> None:
    wid = short.start(a="1")
    for round_number in range(4):  # more than its attempts
        short.clock(f"{round_number * 5} minutes")
        found = short.fail("tr_x", why="no space left", sqlstate="53100")
        assert found is not None and (found.attempts, found.parked) == (0, False)
        assert found.not_before is not None
    short.clock("30 minutes")
    assert short.pending(wid)[0].last_state == "53100" and short.status(wid) == "R"
    found = short.fail("tr_x", why="no", sqlstate="P0001")
    assert found is not None and found.attempts == 1


def test_only_the_rule_lists_codes_of_conflicts() -> None:
    """A list of its own would forget what the rule has."""
    listed = re.compile(r"40P01|40001'|deadlock_detected|serialization_failure")
    for path in kernel.files():
        lines = [line for line in path.read_text().splitlines() if not line.lstrip().startswith("--")]
        found = [line for line in lines if listed.search(line) and "_raise(" not in line]
        assert not found, (path, found)


def test_a_closed_case_is_in_conflict(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    kit.final("a = '9'")
    wid = kit.start(a="1")
    kit.run("tr_x", wid, a="5")
    number = kit.one("select number from wedsql.repair_case where wid = %s", [wid])
    with refused("WD517"):
        api.cases.release(number, "ann", conn=kit.conn)
    api.instances.cancel(wid, reason="It ends.", conn=kit.conn)
    for act in (
        lambda: api.cases.claim(number, "ann", conn=kit.conn),
        lambda: api.cases.claim(number, "ann", take_over="Mine.", conn=kit.conn),
        lambda: api.cases.release(number, "ann", conn=kit.conn),
        lambda: api.cases.change(number, {"priority": 3}, "ann", conn=kit.conn),
    ):
        with refused("WD517"):
            act()
