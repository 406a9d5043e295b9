"""One step of an instance, two steps compared, and the forms of a history."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest
from django.test import Client

from flows.queries.history import steps
from monitor.tests.conftest import Parcels, get, text_of


@pytest.fixture
def sent(parcels: Parcels) -> int:
    """An instance that went through all its steps."""
    wid = parcels.start(customer="Ana", weight="1250.50", fragile=True)
    parcels.send(wid)
    return wid


def recorded(parcels: Parcels, wid: int) -> list[tuple[int, dict[str, object]]]:
    found = parcels.connection.execute(
        "select seq, state from wedsql.wed_trace where wid = %s order by seq", [wid]
    ).fetchall()
    return [(seq, state) for seq, state in found]


def values(html: str) -> dict[str, str]:
    """Return the values that a page of a step shows, by attribute, without those before."""
    rows = re.findall(r'<tr role="row"[^>]*data-name="(\w+)">(.*?)</tr>', html, re.DOTALL)
    cells = {name: re.search(r'data-label="Value">(.*?)</td>', row, re.DOTALL).group(1) for name, row in rows}
    return {
        name: text_of(re.sub(r"<del>.*?</del>", "", cell, flags=re.DOTALL)) for name, cell in cells.items()
    }


def test_each_step_shows_the_state_that_was_recorded(alice: Client, parcels: Parcels, sent: int) -> None:
    for seq, state in recorded(parcels, sent):
        shown = values(get(alice, f"/instances/{sent}/steps/{seq}/"))
        assert shown["stage"].split()[-1] == state["stage"], seq
        assert ("extra" in shown) == (state["extra"] is not None), seq
        assert "1,250.50" in shown["weight"] and "yes" in shown["fragile"], seq
        raw = json.loads(get(alice, f"/instances/{sent}/steps/{seq}.json"))
        assert (raw["seq"], raw["state"]) == (seq, state)
    for seq in (0, 5, 2**31):
        assert alice.get(f"/instances/{sent}/steps/{seq}/").status_code == 404
        assert alice.get(f"/instances/{sent}/steps/{seq}.json").status_code == 404


def test_a_step_says_who_wrote_what_and_what_it_fired(alice: Client, sent: int) -> None:
    first = text_of(get(alice, f"/instances/{sent}/steps/1/"))
    assert "tr_label → step 2" in first and "Pack it → step 3" in first
    third = get(alice, f"/instances/{sent}/steps/3/")
    assert re.search(rf'<a href="/instances/{sent}/steps/2/">\s*step 2</a>', third)  # the writer of extra
    assert "after step 1" in third and "tr_send → step 4" in text_of(third)
    assert "<del>new</del>" in re.sub(r"<(/?)(span|b)[^>]*>", "", third) and "1 value changed" in third


def test_a_pending_job_is_shown_at_the_step_that_fired_it(alice: Client, parcels: Parcels) -> None:
    page = text_of(get(alice, f"/instances/{parcels.start()}/steps/1/"))
    assert page.count("pending") == 2


@pytest.mark.parametrize("query", ["compare=1,4", "compare=4,1", "compare=1&compare=4"])
def test_two_steps_are_compared(query: str, alice: Client, sent: int) -> None:
    answer = alice.get(f"/instances/{sent}/?{query}", follow=True)
    page = answer.content.decode()
    assert answer.redirect_chain == [(f"/instances/{sent}/steps/4/?compare=1", 302)]
    assert "2 differences from step 1" in page
    assert re.findall(r'class="changed" data-name="(\w+)"', page) == ["extra", "stage"]


@pytest.mark.parametrize(
    "query", ["compare=1", "compare=1,1", "compare=x,2", "compare=1,2,3", "compare=-1,2"]
)
def test_anything_else_is_no_comparison(query: str, alice: Client, sent: int) -> None:
    assert alice.get(f"/instances/{sent}/?{query}").status_code == 200


def test_a_moment_leads_to_its_step(alice: Client, parcels: Parcels, sent: int) -> None:
    connection = parcels.connection
    start = connection.execute("select started_at from wedsql.instance where wid = %s", [sent]).fetchone()[0]
    connection.execute(
        "update wedsql.wed_trace set tstmp = %s + seq * interval '1 hour' where wid = %s", [start, sent]
    )

    def step_at(hours: float) -> str:
        when = (start + timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%S%z").replace("+", "%2B")
        return alice.get(f"/instances/{sent}/steps/?at={when}").headers["Location"]

    assert [step_at(h) for h in (-5, 1.5, 2.5, 3.5, 100)] == [
        f"/instances/{sent}/steps/{seq}/" for seq in (1, 1, 2, 3, 4)
    ]
    assert alice.get(f"/instances/{sent}/steps/?step=99").headers["Location"].endswith("/steps/4/")


def test_the_timeline_has_the_times_of_each_job(alice: Client, parcels: Parcels, sent: int) -> None:
    parcels.connection.execute(
        "update wedsql.wed_trace set tx_at = tstmp - interval '2 seconds',"
        " tstmp = tstmp + (seq - 1) * interval '10 seconds' where wid = %s and seq > 1",
        [sent],
    )
    parcels.connection.execute(
        "update wedsql.wed_trace set tx_at = tstmp - interval '2 seconds' where wid = %s and seq > 1", [sent]
    )
    page = get(alice, f"/instances/{sent}/?view=timeline&order=oldest")
    row = re.search(r'<tr id="step-4">.*?</tr>', page, re.DOTALL).group(0)
    assert text_of(row).split("tr_send")[1].count("seconds") == 2 and "2 seconds" in text_of(row)
    assert row.count("<rect") >= 2 and f"/instances/{sent}/steps/4/" in row


def test_idle_time_is_drawn_shorter_unless_asked(alice: Client, parcels: Parcels, sent: int) -> None:
    parcels.connection.execute(
        "update wedsql.wed_trace set tstmp = tstmp + interval '6 hours' where wid = %s and seq = 4", [sent]
    )
    assert '<rect class="fold"' in get(alice, f"/instances/{sent}/?view=timeline")
    shown = get(alice, f"/instances/{sent}/?view=timeline&idle=shown")
    assert '<rect class="fold"' not in shown and "Fold idle time" in shown


def test_the_tree_has_each_step_below_the_one_that_fired_it(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    parcels.do("tr_label", wid, extra={})
    page = get(alice, f"/instances/{wid}/?view=tree")
    nodes = re.findall(r'<li data-depth="(\d)"[^>]*>(.*?)</li>', page, re.DOTALL)
    assert [depth for depth, _text in nodes] == ["0", "1", "1"]
    assert "step 2" in nodes[1][1] and "Pack it" in nodes[2][1] and "pending" in nodes[2][1]


def test_a_moment_is_found_in_few_queries_in_a_long_history(sent: int) -> None:
    counted: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(steps, "scalar", lambda *_: counted.append(1))
        steps.at(sent, None, None, 1_000_000)  # type: ignore[arg-type]
    assert len(counted) <= 21


def test_times_are_in_the_zone_of_the_reader(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start(seen="2026-03-01 12:00:00+00")
    assert "All times are in UTC." in get(alice, f"/instances/{wid}/")
    alice.cookies["zone"] = "America/Sao_Paulo"
    page = get(alice, f"/instances/{wid}/")
    assert "All times are in America/Sao_Paulo." in page and "03/01/2026 09:00:00 -03" in page
    for odd in ("../../etc/passwd", "Nowhere/Town", "%00", "x" * 5000):
        alice.cookies["zone"] = odd
        assert "All times are in UTC." in get(alice, f"/instances/{wid}/")


def test_a_job_links_to_the_log_system(alice: Client, parcels: Parcels, settings: object) -> None:
    settings.WEDSQL_LOG_URL = "https://logs.example/?q={flow}+{wid}+{jid}"  # type: ignore[attr-defined]
    wid = parcels.start()
    (job,) = parcels.connection.execute(
        "select id from wedsql.job_pool where wid = %s order by id limit 1", [wid]
    ).fetchone()
    page = get(alice, f"/instances/{wid}/")
    assert f'href="https://logs.example/?q={parcels.flow}+{wid}+{job}"' in page


def test_it_says_what_the_instance_waits_for(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    page = text_of(get(alice, f"/instances/{wid}/"))
    assert "Pack it : No worker serves this transition. Why?" in page
    parcels.make_exception(wid)
    assert "People have to repair the instance. Why?" in text_of(get(alice, f"/instances/{wid}/"))
