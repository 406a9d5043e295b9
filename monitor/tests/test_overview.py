"""The overview: what it says first, and that each number leads to exactly the rows that it counts."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from monitor.tests.conftest import Parcels, get, text_of
from testkit.waiting import until_counted

NUMBER = re.compile(
    r'<a\b[^>]*href="([^"]+)"[^>]*>\s*(?:<[^>]+>[^<]*</\w+>[^<]*)?(?:<b>)?([\d,]+)(?:</b>)?\s*</a>'
)


def numbers(page: str) -> dict[str, int]:
    """Return address -> number of each link whose text is a number."""
    return {html.unescape(address): int(n.replace(",", "")) for address, n in NUMBER.findall(page)}


def rows_of(client: Client, address: str) -> int:
    """Return how many rows the list at an address has, on all its pages."""
    total = 0
    while address:
        page = get(client, address)
        total += len(re.findall(r'<tr [^>]*(?:id="wid-\d+"|role="row"[^>]*>\s*<th role="rowheader")', page))
        more = re.search(r'rel="next" href="([^"]+)"', page)
        path = address.partition("?")[0]
        address = path + html.unescape(more[1]) if more else ""
    return total


def count(parcels: Parcels) -> None:
    until_counted(parcels.connection)


@pytest.fixture
def busy(parcels: Parcels) -> Parcels:
    """Parcels with instances that run, wait, are late, exceptions and final."""
    sent, sent_too, stuck, *_ = [parcels.start() for _ in range(8)]
    parcels.send(sent)
    parcels.send(sent_too)
    parcels.make_exception(stuck)
    parcels.connection.execute("update wedsql.job_pool set late = true where wid = %s", [parcels.wids[5]])
    # Became final in the last whole minutes, which the columns of the last hour count.
    parcels.connection.execute(
        "update wedsql.wed_trace set tstmp = tstmp - interval '2 minutes' where wid = %s", [sent]
    )
    parcels.connection.execute(
        "update wedsql.instance set finished_at = finished_at - interval '2 minutes',"
        " started_at = started_at - interval '2 minutes' where wid = %s",
        [sent],
    )
    count(parcels)
    return parcels


@pytest.mark.parametrize("trend", ["hour", "day", "week"])
def test_every_number_leads_to_the_rows_that_it_counts(carol: Client, busy: Parcels, trend: str) -> None:
    found = numbers(get(carol, f"/?trend={trend}"))
    instances, jobs = "/instances/?q=status:", "/counted/?of="
    expected = {f"{instances}running": 5, f"{instances}exception": 1, f"{jobs}pending": 10, f"{jobs}late": 2}
    assert {a: n for a, n in found.items() if a in expected} == expected
    for what, least in (("finished%3A", 4), ("started%3A", 8), ("excepted%3A", 1)):
        assert sum(n for a, n in found.items() if what in a) >= least, what
    for address, n in found.items():
        if n and (f"/flows/{busy.flow}/?status=" in address or "?of=" in address or "?q=" in address):
            assert rows_of(carol, address) == n, address


def test_the_first_line_says_the_worst_first(carol: Client, parcels: Parcels) -> None:
    assert "All is well" in text_of(get(carol, "/"))
    stuck = parcels.start()
    parcels.make_exception(stuck)
    page = get(carol, "/")
    assert "There are exceptions , the oldest" in text_of(page) and f"/instances/{stuck}/" in page
    late = parcels.start()
    parcels.connection.execute("update wedsql.job_pool set late = true where wid = %s", [late])
    assert "Jobs are late" in text_of(get(carol, "/"))
    parcels.connection.execute(
        "update wedsql.job_pool set fired_at = fired_at - interval '1 hour'"
        " where wid = %s and trname = 'tr_pack'",
        [late],
    )
    assert f"No worker for Pack it of {parcels.flow}" in text_of(get(carol, "/"))


def test_numbers_are_of_visible_flows_only(mallory: Client, carol: Client, busy: Parcels) -> None:
    assert numbers(get(carol, "/"))["/instances/?q=status:running"] == 5
    assert "/counted/" not in get(mallory, "/")
    assert rows_of(mallory, "/instances/?q=status:running") == 0
    for kind in ("pending", "late"):
        assert f">{busy.wids[0]}<" not in get(mallory, f"/counted/?of={kind}")
        assert rows_of(mallory, f"/counted/?of={kind}&flow={busy.flow}") == 0


def test_lists_of_numbers_have_pages(carol: Client, parcels: Parcels) -> None:
    parcels.start_many(120)
    assert rows_of(carol, "/instances/?q=status:running") == 120
    assert rows_of(carol, "/counted/?of=pending") == 240


def test_the_number_of_queries_does_not_grow_with_flows(alice: Client, carol: Client, busy: Parcels) -> None:
    def queries(client: Client) -> int:
        get(client, "/")
        with CaptureQueriesContext(connection) as captured:
            get(client, "/")
        return len(captured)

    before = queries(alice)
    parts = [busy.connection.execute("select wedsql.create_flow(%s)", [f"many_{n}"]) for n in range(5)]
    try:
        assert queries(alice) == before
    finally:
        for n in range(len(parts)):
            busy.connection.execute("select wedsql.drop_flow(%s)", [f"many_{n}"])


def test_the_part_has_what_the_page_shows(carol: Client, busy: Parcels) -> None:
    part = carol.get("/live/flows/", headers={"accept": "application/json"}).json()
    page = numbers(get(carol, "/"))
    shown = numbers(part["parts"]["summary"] + part["rows"] + part["parts"]["trend"])
    assert {a: n for a, n in shown.items() if "%3A" not in a} == {
        a: n for a, n in page.items() if "%3A" not in a
    }


def test_the_example_of_the_documentation(
    busy: Parcels, site: None, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "monitoring.md").read_text()
    (example,) = re.findall(r"```python\n(.*?)```", page[page.index("### Figures") :], re.DOTALL)[:1]
    exec(example.replace("parcels", busy.flow), {})  # noqa: S102 - the page's own text
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "instances 8 2 8", shown
    assert "tr_send 0 0 2" in shown


def test_what_changed_most_is_ranked(carol: Client, busy: Parcels) -> None:
    for weeks, n in ((0, 3), (1, 40)):
        busy.connection.execute(
            "insert into wedsql.figure (span, at, flow_id, trname, finished) values"
            " ('m', date_trunc('minute', now()) - make_interval(weeks => %s, mins => 30), %s, '', %s)",
            [weeks, busy.flow_id, n],
        )
    assert "Changed most" not in text_of(get(carol, "/")), "the flow is not known to be a week old"
    busy.connection.execute(
        "insert into wedsql.figure (span, at, flow_id, trname, finished) values"
        " ('d', date_trunc('day', now()) - interval '8 days', %s, '', 1)",
        [busy.flow_id],
    )
    page = text_of(get(carol, "/"))
    assert re.search(rf"Changed most against the same hour of last week: {busy.flow} \d+ a week ago 40", page)


def test_an_overview_without_instances_says_what_to_do(carol: Client, parcels: Parcels) -> None:
    assert "Nothing runs yet" in text_of(get(carol, "/"))
    parcels.start()
    assert "Nothing runs yet" not in text_of(get(carol, "/"))
