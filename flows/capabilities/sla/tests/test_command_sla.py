"""manage.py sla: the example of the documentation, and what it refuses."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from django.db import connection, transaction

from flows import api
from flows.capabilities.alerts import reaper
from flows.capabilities.sla.api import Sla
from flows.filters import BadFilter, Filter, parse
from flows.queries.definitions import flow_by_name
from flows.queries.instances import matching, selected
from flows.tests.commands import answer, refused, run

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def orders() -> None:
    api.flows.create("orders")
    attributes = [{"name": "stage", "type": "text", "default": "open"}]
    triggers = [{"transition": "tr_answer", "predicate": "stage = 'open'"},
                {"predicate": "stage = 'closed'", "final": True}]  # fmt: skip
    api.flows.publish("orders", {"attributes": attributes, "triggers": triggers})


def wids(chosen: Filter) -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute(*selected(chosen))
        return {wid for wid, *_ in cursor.fetchall()}


def count(query: str) -> int:
    return matching(parse(query, flow_by_name("orders")), 100).n


def test_the_example_of_the_documentation() -> None:
    text = (Path(__file__).parents[4] / "docs/sla.md").read_text()
    calls = re.findall(r"^\$ python manage\.py (.*)$", text, re.MULTILINE)
    assert len(calls) == 3
    for call in calls:
        run(*shlex.split(call))
    late, open_, done = (
        api.instances.start("orders", {}),
        api.instances.start("orders", {}),
        api.instances.start("orders", {"stage": "closed"}),
    )
    api.sla.advance()
    (sla,) = answer("sla", "list", "--json")
    assert (sla["duration"], sla["calendar"], sla["computed"]) == (4 * 3600, "office", 1)
    with connection.cursor() as cursor:  # as if it had been started long ago
        cursor.execute(
            "update wedsql.sla_clock set due_at = wedsql.now() - interval '1 s' where wid = %s", [late]
        )
    assert reaper.beside_rounds() == 1
    (rule,) = answer("alerts", "list", "--json")
    assert (rule["value"], rule["active"] is not None) == (1, True)
    assert count("sla:answer=breached") == 1 and count("sla:answer=running") == 1
    assert count("sla:(answer=breached, answer=running)") == 2 and count("not sla:answer=running") == 2
    assert [each.state for each in api.sla.list_clocks(late)] == ["breached"] and api.sla.list_clocks(
        done
    ) == []
    assert api.sla.list_clocks(open_)[0].state == "running"


def test_a_filter_finds_the_clocks_of_each_state() -> None:
    """The conditions of filters, which use indexes, are those of wedsql.sla_state."""
    sla = api.sla.save("orders", Sla("s", 3600), "olga")
    hour = "interval '1 hour'"
    found: dict[int, str] = {}
    for state, risk, due, breached, stopped in (
        ("running", f"+ {hour}", f"+ {hour}", None, None),
        ("running", "", f"+ {hour}", None, None),
        ("running", "", "", None, None),
        ("running", f"- {hour}", f"- {hour}", None, None),
        ("running", f"+ {hour}", f"+ {hour}", "", None),
        ("running", f"+ {hour}", "infinity", None, None),
        ("paused", None, None, None, None),
        ("paused", None, "", "", None),
        ("met", None, f"- {hour}", None, ""),
        ("breached", None, "", "", ""),
        ("cancelled", None, f"- {hour}", None, ""),
    ):
        wid = api.instances.start("orders", {})
        times = ["null" if each is None else "'infinity'" if each == "infinity" else f"wedsql.now() {each}"
                 for each in (risk, due, breached, stopped)]  # fmt: skip
        with connection.cursor() as cursor:
            cursor.execute(
                "insert into wedsql.sla_clock as c (sla_id, wid, started_seq, seq, started_at, changed_at,"
                " state, risk_at, due_at, breached_at, stopped_at)"
                f" values (%s, %s, 1, 1, wedsql.now(), wedsql.now(), %s, {', '.join(times)})"
                " returning wedsql.sla_state(c, wedsql.now())",
                [sla.id, wid, state],
            )
            found[wid] = cursor.fetchone()[0]
    for state in set(found.values()):
        chosen = parse(f"sla:s={state}", flow_by_name("orders"))
        assert wids(chosen) == {wid for wid, each in found.items() if each == state}
    assert len(set(found.values())) == 6


@pytest.mark.parametrize(
    ("query", "reason"),
    [("sla:none=breached", "unknown_sla"), ("sla:answer", "clock"), ("sla:answer=late", "clock"),
     ("sla:=met", "clock"), ("sla>answer=met", "operator"), ("has:sla", "operator")],
)  # fmt: skip
def test_a_filter_by_what_there_is_not_is_refused(query: str, reason: str) -> None:
    with pytest.raises(BadFilter) as refused_:
        parse(query, flow_by_name("orders"))
    assert refused_.value.reason == reason


def test_it_refuses_what_makes_no_sense() -> None:
    named = ("--flow", "orders", "--name", "x")
    refused("sla", "remove", code=2)
    refused("sla", "add", *named, code=2)
    refused("sla", "add", *named, "--time", "soon", code=2)
    refused("sla", "calendar", *named, "--hours", "monday", code=2)
    refused("sla", "remove", "999999")
    refused("sla", "remove_calendar", "999999")
    with transaction.atomic():
        assert "no working time" in refused("sla", "calendar", *named)
        transaction.set_rollback(True)
    with transaction.atomic():
        refused("sla", "add", "--flow", "none", "--name", "x", "--time", "1h")
        transaction.set_rollback(True)


def test_an_sla_and_a_calendar_are_listed_and_removed() -> None:
    named = ("--flow", "orders", "--name", "x")
    calendar = answer("sla", "calendar", *named, "--hours", "1-5 9:00-17:00", "--json")["calendar"]
    number = answer("sla", "add", *named, "--time", "90m", "--calendar", "x", "--json")["sla"]
    assert "1h30m" in run("sla", "list") and "09:00-17:00" in run("sla", "calendars")
    run("sla", "remove", str(number))
    run("sla", "remove_calendar", str(calendar))
    assert answer("sla", "list", "--json") == answer("sla", "calendars", "--json") == []
