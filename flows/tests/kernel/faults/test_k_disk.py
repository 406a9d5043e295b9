"""No instance starts on a disk that is nearly full; running ones continue (docs/reliability.md, F12)."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from flows import api
from flows.errors import DiskFull
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel
TOTAL = 1000


@pytest.fixture
def one(kit: Kit) -> Iterator[Kit]:
    """A flow with one transition; reports about the disk are deleted afterwards."""
    kit.attr("a", "1")
    kit.trig("tr_x", "a = '1'")
    kit.trig("tr_y", "a = '2'")
    yield kit
    kit.rows("delete from wedsql.disk")


def report(kit: Kit, free: int) -> None:
    kit.rows("select wedsql.report_disk(%s, %s)", (free, TOTAL), kit.connect("wed_reaper"))


def test_f12_every_start_fails_under_five_percent(one: Kit) -> None:
    report(one, 49)
    with refused("WD905") as why:
        one.start()
    assert "49 bytes of 1000 bytes are free" in why.message and "Free disk space" in why.hint
    with refused("WD905"):
        one.one("select wedsql.start(%s)", (one.name,))
    with refused("WD905"):
        one.rows("insert into {f}.wed_flow default values")
    results = api.instances.start_many(one.name, [{}, {}], conn=one.conn)
    assert [(r.wid, type(r.error)) for r in results] == [(None, DiskFull)] * 2
    found = one.rows("select wid, sqlstate from {f}.start_many(array['{}'::jsonb])")
    assert [tuple(row) for row in found] == [(None, "WD905")]
    assert one.one("select count(*) from {f}.wed_flow") == 0


def test_f12_from_five_percent_on_all_is_as_ever(one: Kit) -> None:
    report(one, 50)
    assert one.start()
    report(one, 49)
    with refused("WD905"):
        one.start()
    report(one, 900)
    assert one.start()


def test_f12_what_runs_goes_on(one: Kit) -> None:
    one.start()
    report(one, 0)
    assert one.run("tr_x", a="2").status == "R"
    assert one.run("tr_y", a="1").status == "R"


def test_f12_a_repeated_start_still_gets_its_answer(one: Kit) -> None:
    wid = api.instances.start(one.name, {}, key="order 7", conn=one.conn)
    report(one, 0)
    assert api.instances.start(one.name, {}, key="order 7", conn=one.conn) == wid
    with refused("WD905"):
        api.instances.start(one.name, {}, key="order 8", conn=one.conn)
    results = api.instances.start_many(one.name, [{}, {}], keys=["order 7", "order 8"], conn=one.conn)
    assert [(r.wid, r.error.code if r.error else None) for r in results] == [(wid, None), (None, "WD905")]


def test_f12_an_old_report_is_ignored(one: Kit) -> None:
    report(one, 0)
    one.clock("6 minutes")
    assert one.start()
    one.clock("4 minutes")
    with refused("WD905"):
        one.start()


def test_f12_only_the_reaper_reports_and_only_what_can_be(one: Kit) -> None:
    for role in ("wed_web", "wed_worker", "wed_monitor"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            one.rows("select wedsql.report_disk(1, 1)", (), one.connect(role))
    for free, total in ((2, 1), (-1, 1)):
        with pytest.raises(psycopg.errors.CheckViolation):
            one.rows("select wedsql.report_disk(%s, %s)", (free, total), one.connect("wed_reaper"))


def test_f12_flows_of_an_earlier_kernel_get_the_guard(one: Kit) -> None:
    one.rows("drop trigger a_room on {f}.wed_flow")
    one.rows("select wedsql._refresh_flow(%s, %s)", (one.id, one.name))
    report(one, 0)
    with refused("WD905"):
        one.start()


def test_f12_the_reaper_may_ask_where_the_files_are(one: Kit) -> None:
    shown = one.one("show data_directory")
    assert one.one("select wedsql.data_directory()", (), one.connect("wed_reaper")) == shown
