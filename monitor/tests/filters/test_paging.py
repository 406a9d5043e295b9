"""Pages by key: no row twice or missing, equally many queries on every page, and an index for each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from flows.filters import parse
from flows.queries import definitions, instances, jobs, paging
from monitor.tests.conftest import PARCELS, Parcels


@pytest.fixture
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set four rows per page."""
    defaults = paging.Cursor.__init__.__defaults__
    assert defaults is not None
    monkeypatch.setattr(paging.Cursor.__init__, "__defaults__", (*defaults[:-1], 4))
    monkeypatch.setattr(jobs, "PAGE_SIZE", 4)


def walk(client: Client, path: str, rel: str, row: str) -> Iterator[list[int]]:
    """Yield the keys of each page, following the links of one direction to the end."""
    base, _, query = path.partition("?")
    while True:
        page = client.get(f"{base}?{query}").content.decode()
        yield [int(key) for key in re.findall(row, page)]
        link = re.search(rf'rel="{rel}" href="\?([^"]+)"', page)
        if link is None:
            return
        query = link[1].replace("&amp;", "&")


ROWS = r'<tr id="wid-(\d+)"'
STEPS = r'id="step-(\d+)"'


def test_instances_there_and_back(alice: Client, parcels: Parcels, short_pages: None) -> None:
    wids = parcels.start_many(10)
    there = list(walk(alice, f"/flows/{parcels.flow}/", "next", ROWS))
    assert there == [wids[:-5:-1], wids[5:1:-1], wids[1::-1]]
    back = list(walk(alice, f"/flows/{parcels.flow}/?before={wids[2]}", "prev", ROWS))
    assert back[-1] == wids[:-5:-1] and {w for page in back for w in page} == set(wids)


def test_new_instances_do_not_shift_a_page(alice: Client, parcels: Parcels, short_pages: None) -> None:
    wids = parcels.start_many(6)
    path = f"/flows/{parcels.flow}/?before={wids[3]}"
    before = list(walk(alice, path, "next", ROWS))
    parcels.start_many(6)
    assert list(walk(alice, path, "next", ROWS)) == before == [[wids[2], wids[1], wids[0]]]


def test_steps_newest_and_oldest_first(alice: Client, parcels: Parcels, short_pages: None) -> None:
    wid = parcels.start()
    loops = 6
    for _ in range(loops):
        parcels.do("tr_pack", wid, stage="new")
    newest = list(walk(alice, f"/instances/{wid}/", "next", STEPS))
    assert newest == [[7, 6, 5, 4], [3, 2, 1]]
    oldest = list(walk(alice, f"/instances/{wid}/?order=oldest", "next", STEPS))
    assert oldest == [[1, 2, 3, 4], [5, 6, 7]]
    assert list(walk(alice, f"/instances/{wid}/?order=oldest&before=4", "prev", STEPS))[-1] == [1, 2, 3, 4]
    assert list(walk(alice, f"/instances/{wid}/?before=4", "prev", STEPS))[-1] == [7, 6, 5, 4]


def test_a_cause_on_another_page_is_one_link_away(alice: Client, parcels: Parcels, short_pages: None) -> None:
    wid = parcels.start()
    for _ in range(5):
        parcels.do("tr_pack", wid, stage="new")
    parcels.do("tr_label", wid, extra={})
    page = alice.get(f"/instances/{wid}/").content.decode()
    link = re.search(r'href="([^"]+)">\s*after step 1<', page)
    assert link is not None and link[1] == f"/instances/{wid}/steps/1/"
    assert alice.get(link[1]).status_code == 200


def test_jobs_in_queue_order(alice: Client, parcels: Parcels, short_pages: None) -> None:
    parcels.start_many(5)
    parcels.connection.execute(
        "update wedsql.trig set priority = 5 where trname = 'tr_label' and flow_id = %s", [parcels.flow_id]
    )
    parcels.start_many(2)
    pages = list(walk(alice, f"/flows/{parcels.flow}/jobs/", "next", r'scope="row" class="mono">(\d+)</th>'))
    ids = [job for page in pages for job in page]
    expected = parcels.connection.execute(
        "select id from wedsql.job_pool where flow_id = %s order by trname, priority desc, id",
        [parcels.flow_id],
    ).fetchall()
    assert ids == [job for (job,) in expected] and [len(p) for p in pages] == [4, 4, 4, 2]


PAGES = (
    "/",
    "/flows/{f}/",
    "/flows/{f}/jobs/",
    "/instances/{w}/",
    "/workers/",
    "/live/flows/{f}/?wids={w}&top=1",
)


def test_the_number_of_queries_does_not_grow(alice: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    paths = [path.format(f=parcels.flow, w=wid) for path in PAGES]
    alice.get("/")  # which notes that she is connected
    few = {path: _queries(alice, path) for path in paths}
    parcels.start_many(30)
    for _ in range(9):
        parcels.do("tr_pack", wid, stage="new")
    assert {path: _queries(alice, path) for path in paths} == few
    assert max(few.values()) <= 23, few


def _queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


MORE = (
    "/flows/{f}/?status=E",
    "/instances/{w}.json",
    "/flows/{f}/jobs/?behind=tr_label~0~9",
    "/flows/{f}/jobs/?state=late",
    "/flows/{f}/jobs/?state=leased",
    "/flows/{f}/jobs/?state=parked&transition=tr_pack",
)
LARGE = {"instance", "wed_flow", "job_pool"}
OTHERS = 3_000
ENOUGH = 200


@pytest.fixture
def many_instances(parcels: Parcels) -> Iterator[int]:
    """An instance of the test's flow, then a flow with thousands of newer ones and twice as many jobs."""
    wid = parcels.start()
    name, connection = "crowd_" + parcels.flow[2:], parcels.connection
    connection.execute("select wedsql.create_flow(%s)", [name])
    with connection.transaction():
        connection.execute(f'set local search_path = "{name}", wedsql')
        connection.execute(PARCELS)
    Parcels(name, connection).start_many(OTHERS)
    for table in ("wedsql.instance", "wedsql.job_pool"):
        connection.execute(f"analyze {table}")
    yield wid
    connection.execute("select wedsql.drop_flow(%s, true)", [name])


def test_a_page_of_one_flow_does_not_read_the_rows_of_others(
    alice: Client, parcels: Parcels, many_instances: int
) -> None:
    for path in (*(p for p in PAGES if "{" in p), *MORE):
        with CaptureQueriesContext(connection) as captured:
            assert alice.get(path.format(f=parcels.flow, w=many_instances)).status_code == 200
        touched = sum(_touched(query["sql"]) for query in captured.captured_queries)
        assert touched < ENOUGH, (path, touched)


def test_a_deep_page_reads_as_little_as_the_first(parcels: Parcels, site: None) -> None:
    wids = parcels.start_many(OTHERS)
    for table in ("wedsql.instance", f'"{parcels.flow}".wed_flow'):
        parcels.connection.execute(f"analyze {table}")
    flow = definitions.flow_by_name(parcels.flow)
    assert flow is not None
    for chosen in (parse("", flow), parse("status:running", flow)):
        for cursor in (
            paging.Cursor(),
            paging.Cursor(before=wids[OTHERS // 2]),
            paging.Cursor(after=wids[OTHERS // 2]),
            paging.Cursor(before=wids[60]),
        ):
            with CaptureQueriesContext(connection) as captured:
                assert len(instances.listed(chosen, cursor).items) == paging.PAGE_SIZE
            assert sum(_touched(query["sql"]) for query in captured.captured_queries) < ENOUGH, cursor


def _touched(statement: str) -> float:
    """Return how many rows of the large tables the statement read, used or not."""
    if not statement.lstrip("( \n").lower().startswith(("select", "with")):
        return 0
    with connection.cursor() as cursor:
        cursor.execute("explain (analyze, format json) " + statement.replace("%", "%%"), ())
        plan = cursor.fetchone()[0]
    found = json.loads(plan) if isinstance(plan, str) else plan
    return sum(_rows(found[0]["Plan"]))


def _rows(plan: dict[str, Any]) -> Iterator[float]:
    name = plan.get("Relation Name", "")
    if name in LARGE or name.startswith("wed_trace"):
        yield (plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)) * plan["Actual Loops"]
    for child in plan.get("Plans", []):
        yield from _rows(child)
