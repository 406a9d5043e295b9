"""The analysis of a flow: its numbers, each with exactly the rows that it counts."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from flows.capabilities.figures import analysis
from flows.filters import parse
from flows.queries.base import now, snapshot
from flows.queries.definitions import flow_by_name
from monitor import windows
from monitor.figures.views import query
from monitor.tests.conftest import Parcels, get, text_of
from monitor.tests.filters.filter_rows import wids
from monitor.tests.test_overview import count, numbers, rows_of


def label_twice(parcels: Parcels, wid: int) -> None:
    parcels.do("tr_label", wid, pieces=2)
    parcels.send(wid)


@pytest.fixture
def analysed(parcels: Parcels) -> Parcels:
    """Five final instances on one path in two orders, and one that runs.

    One of the five has repeated work, the last one a failed attempt.
    """
    for n in range(5):
        wid = parcels.start()
        if n == 0:
            label_twice(parcels, wid)
        elif n == 1:
            parcels.do("tr_pack", wid, stage="packed")
            parcels.do("tr_label", wid, extra={})
            parcels.do("tr_send", wid, stage="sent")
        else:
            parcels.send(wid)
    running = parcels.start()
    parcels.park("tr_pack", running, "no carrier")
    count(parcels)
    return parcels


def test_each_number_leads_to_the_rows_that_it_counts(carol: Client, analysed: Parcels) -> None:
    page = get(carol, f"/flows/{analysed.flow}/analysis/?window=hour")
    found = numbers(page)
    listed = {a: n for a, n in found.items() if "?q=" in a or "/analysis/steps/" in a}
    assert sum("path%3A" in a for a in listed) == 3 and sum("redid" in a for a in listed) == 1
    assert sum("followed" in a for a in listed) >= 3 and sum("of=failed" in a for a in listed) == 1
    assert sum("of=done" in a for a in listed) == 3
    for address, n in listed.items():
        assert rows_of(carol, address) == n, address
    shown = text_of(page)
    orders = "in 2 sequences tr_label → Pack it → tr_send 4 Pack it → tr_label → tr_send 1"
    assert f"tr_label → Pack it → tr_send {orders} 5 100 %" in shown, shown
    assert "tr_label 1 2" in shown.partition("Repeated work")[2]


def test_a_sample_is_the_newest_and_its_filter_finds_exactly_them(
    analysed: Parcels, site: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where many became final at the same time."""
    flow = flow_by_name(analysed.flow)
    assert flow is not None
    analysed.connection.execute(
        "update wedsql.instance set finished_at = date_trunc('minute', finished_at) where flow_id = %s",
        [flow.id],
    )
    until = now() + timedelta(minutes=1)
    for most in (1, 2, 3, 4, 5, 6):
        monkeypatch.setattr(analysis, "NEWEST_INSTANCES", most)
        with snapshot():
            found = analysis.sample(flow.id, until - timedelta(hours=1), until)
        assert len(found.wids) == min(most, 5) and found.cut == (most < 5)
        assert wids(parse(query(found), flow)) == set(found.wids)
    monkeypatch.setattr(analysis, "NEWEST_STEPS", 9)
    with snapshot():
        found = analysis.sample(flow.id, until - timedelta(hours=1), until)
    assert (len(found.wids), found.cut) == (2, True)


def test_the_slowest_transition_of_yesterday_is_two_clicks_from_the_overview(
    carol: Client, analysed: Parcels
) -> None:
    label = "update wedsql.wed_trace set tstmp = tstmp - interval '{}' where seq {} and wid = any (%s)"
    final = [wid for wid in analysed.wids if wid != analysed.wids[-1]]
    analysed.connection.execute("delete from wedsql.figure where flow_id = %s", [analysed.flow_id])
    analysed.connection.execute(label.format("1 day", "> 0"), [final])
    analysed.connection.execute(
        "insert into wedsql.figure (span, at, flow_id, trname, done, elapsed)"
        " select s.span, date_trunc(s.unit, now() - interval '1 day', 'UTC'), %s, n.trname, 5, n.elapsed"
        " from (values ('m'::\"char\", 'minute'), ('h', 'hour'), ('d', 'day')) s (span, unit),"
        " (values ('tr_pack', array_fill(0::bigint, array[30]) || 5::bigint),"
        "         ('tr_send', '{5}'::bigint[])) n (trname, elapsed)",
        [analysed.flow_id],
    )
    overview = get(carol, "/")
    first = re.search(rf'href="(/flows/{analysed.flow}/analysis/[^"]*)"', overview)
    assert first is not None
    second = re.search(r'href="(\?window=yesterday)"', get(carol, first[1]))
    assert second is not None
    page = get(carol, first[1].partition("?")[0] + second[1])
    assert "Slowest transition: Pack it , 95 of 100 took up to" in text_of(page)


def test_windows(carol: Client, analysed: Parcels) -> None:
    address = f"/flows/{analysed.flow}/analysis/"
    for window in ("hour", "today", "week", "month"):
        assert "Slowest transition" in get(carol, f"{address}?window={window}"), window
    day = now().date()
    assert "Slowest transition" in get(carol, f"{address}?from={day}")
    assert "Slowest transition" in get(carol, f"{address}?from={day}&to={day - timedelta(days=40)}")
    empty = get(carol, f"{address}?from=1999-01-01")
    assert "Nothing happened in this window" in empty and "Choose a longer window" in empty
    for hostile in (
        "from=0001-01-01",
        "to=9999-12-31",
        "from=2026-02-30",
        "window=%00",
        "from=1999-1-1&to=x",
    ):
        assert carol.get(f"{address}?{hostile}").status_code == 200
    for hostile in (
        "since=0001-01-01T00:00%2B00:00",
        "until=9999-12-31T23:59-14:00",
        "page=-1",
        "page=99999999",
    ):
        assert carol.get(f"{address}steps/?transition=tr_pack&{hostile}").status_code == 200


def test_others_see_nothing(mallory: Client, analysed: Parcels) -> None:
    for path in ("", "steps/?transition=tr_pack"):
        assert mallory.get(f"/flows/{analysed.flow}/analysis/{path}").status_code == 404


def test_the_number_of_queries_does_not_grow_with_instances(carol: Client, analysed: Parcels) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            get(carol, f"/flows/{analysed.flow}/analysis/?window=hour")
        return len(captured)

    queries()
    before = queries()
    for _ in range(5):
        analysed.send(analysed.start())
    assert queries() == before


def test_what_is_declared_is_compared_with_what_happened(carol: Client, analysed: Parcels) -> None:
    analysed.connection.execute(
        "update wedsql.trig set writes = '{stage}' where flow_id = %s and trname = 'tr_pack'",
        [analysed.flow_id],
    )
    page = text_of(get(carol, f"/flows/{analysed.flow}/analysis/?window=hour"))
    followed = page.partition("What followed what")[2]
    assert "tr_send" in followed and "Pack it tr_send 4 stage" in followed, followed
    assert "yes, but it did not happen: stage" in followed


def test_the_worked_example_of_the_documentation(carol: Client, analysed: Parcels) -> None:
    document = (Path(__file__).parents[3] / "docs" / "monitoring.md").read_text()
    section = document.partition("### Analysis")[2].partition("\n## ")[0]
    example = re.search(r"```\n(.*?)\n```", section, re.DOTALL)
    assert example is not None
    flow = flow_by_name(analysed.flow)
    answers = dict(
        re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in example[1].splitlines() if line.strip()
    )
    assert len(answers) >= 4
    found = {text: str(len(wids(parse(text, flow)))) for text in answers}
    assert found == answers


def test_a_window_is_compared_with_an_earlier_one(carol: Client, analysed: Parcels) -> None:
    """The earlier numbers lead to the rows of the earlier window."""
    at = now()
    analysed.connection.execute(
        "insert into wedsql.figure (span, at, flow_id, trname, started, finished, done, failed)"
        " select s.span, date_trunc(s.unit, %(at)s - interval '90 minutes', 'UTC'), %(flow)s, n.*"
        " from (values ('m'::\"char\", 'minute'), ('h', 'hour')) s (span, unit),"
        " (values ('', 10, 7, 0, 0), ('tr_pack', 0, 0, 30, 10)) n",
        {"at": at, "flow": analysed.flow_id},
    )
    address = f"/flows/{analysed.flow}/analysis/?window=hour&against="
    page = get(carol, address + "before")
    shown = text_of(page)
    assert "Started 6 before 10 , \N{MINUS SIGN}40 %" in shown and "Final 5 before 7" in shown, shown
    assert "Exceptions 1 before 0" in shown
    transitions, failures = shown.partition("Failed attempts")[::2]
    assert "Pack it 5 before 30" in transitions
    assert re.search(r"Pack it 1 17 % before 25 %", failures), failures
    assert "5 100 % before 0 %" in shown.partition("Paths")[2]
    earlier = [a for a in numbers(page) if "of=done" in a and numbers(page)[a] == 30]
    assert len(earlier) == 1 and rows_of(carol, earlier[0]) == 0  # only the figures have them
    for other in ("", "other", "week"):
        assert "before 10" not in text_of(get(carol, address + other)), other


def test_a_window_in_which_instances_only_started(carol: Client, parcels: Parcels) -> None:
    parcels.start()
    count(parcels)
    shown = text_of(get(carol, f"/flows/{parcels.flow}/analysis/?window=hour"))
    assert "Started 1 " in shown and "Nothing happened" not in shown


def test_what_is_to_come_is_not_compared() -> None:
    noon = datetime(2026, 3, 4, 12, 0, 30, tzinfo=UTC)
    today, yesterday = windows.named("today", noon), windows.named("yesterday", noon)
    day, week, until = timedelta(days=1), timedelta(days=7), noon.replace(minute=1, second=0)
    found = windows.earlier(today, "before", noon)
    assert found and (found.since, found.until) == (today.since - day, until - day)
    found = windows.earlier(yesterday, "week", noon)
    assert found and (found.since, found.until) == (yesterday.since - week, yesterday.until - week)
    assert windows.earlier(today, "", noon) is None
