"""What /metrics reports on times, held jobs, invariants and tables; its document names every metric."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from flows.timing import BOUNDS
from monitor.metrics import exposition
from monitor.tests.conftest import Parcels
from monitor.tests.server.test_probes import numbers

PAGE = Path(settings.BASE_DIR) / "docs/monitoring.md"
# 4 ms, 30 ms, 2 s
THREE = {"transition": "tr_label", "counts": [0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0], "seconds": 2.034}


def count(parcels: Parcels, *entries: dict[str, object]) -> None:
    report = json.dumps([{"waits": []} | entry for entry in entries])
    parcels.connection.execute("select wedsql.count_times(%s, %s)", [parcels.flow, report])


def test_the_example_of_the_page(site: None, client: Client, parcels: Parcels) -> None:
    count(parcels, THREE)
    shown = re.search(r"### An example.*?```text\n(.+?)\n```", PAGE.read_text(), re.DOTALL)
    assert shown
    lines = client.get("/metrics").content.decode().replace(parcels.flow, "parcels").splitlines()
    assert [line for line in shown[1].splitlines() if line not in lines] == []


def test_a_histogram_is_cumulative_and_whole(site: None, client: Client, parcels: Parcels) -> None:
    count(parcels, THREE)
    count(parcels, THREE)
    name = f'wedsql_job_run_seconds_bucket{{flow="{parcels.flow}",transition="tr_label",le="'
    found = [(line, number) for line, number in numbers(client).items() if line.startswith(name)]
    assert [number for _line, number in found] == [0, 2, 2, 4, 4, 4, 4, 6, 6, 6, 6, 6, 6]
    bounds = [line.removeprefix(name).removesuffix('"}') for line, _number in found]
    assert [float(bound) for bound in bounds] == [*BOUNDS, float("inf")]


def test_waits_are_a_histogram_of_their_own(site: None, client: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    job = parcels._one("select id from wedsql.job_pool where wid = %s and trname = 'tr_label'", wid)
    count(parcels, THREE | {"waits": [[wid, job, 0]]})
    labels = f'{{flow="{parcels.flow}",transition="tr_label"}}'
    assert numbers(client)[f"wedsql_job_wait_seconds_count{labels}"] == 1


def test_times_of_a_transition_that_is_no_more_are_left_out(
    site: None, client: Client, parcels: Parcels
) -> None:
    count(parcels, THREE)
    parcels.connection.execute(f"delete from {parcels.flow}.wed_trig where trname = 'tr_label'")
    assert not [line for line in numbers(client) if "tr_label" in line and parcels.flow in line]


def test_jobs_in_hand_by_lease_or_transaction(site: None, client: Client, parcels: Parcels) -> None:
    for _ in range(3):
        parcels.start()
    parcels.connection.execute("select wedsql.lease(%s, '{tr_label}', 1, 'bob')", [parcels.flow])
    labels = f'{{flow="{parcels.flow}",transition="tr_'
    with parcels.connection.transaction():
        taken = parcels.connection.execute("select wedsql.take(%s, '{tr_pack}', 2, 'eve')", [parcels.flow])
        assert len(taken.fetchall()) == 2
        found = numbers(client)
        assert found[f'wedsql_jobs_taken{labels}label"}}'] == 1
        assert found[f'wedsql_jobs_taken{labels}pack"}}'] == 2
        assert found[f'wedsql_jobs_taken{labels}send"}}'] == 0
    assert numbers(client)[f'wedsql_jobs_taken{labels}pack"}}'] == 0


def test_what_the_last_check_of_the_invariants_found(site: None, client: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    try:
        with parcels.connection.transaction():
            parcels.connection.execute("delete from wedsql.beat where name = 'invariants'")
        assert "wedsql_invariants_checked_timestamp_seconds" not in numbers(client)
        parcels.connection.execute("delete from wedsql.job_pool where wid = %s", [wid])
        parcels.connection.execute("select wedsql.check_invariants(20)")
        found = numbers(client)
    finally:
        parcels.connection.execute("delete from wedsql.beat where name = 'invariants'")
    assert found['wedsql_invariant_violations{invariant="I1"}'] == 1
    assert found['wedsql_invariant_violations{invariant="I4"}'] == 0
    assert found["wedsql_invariants_checked_timestamp_seconds"] > 1.7e9


def test_tables_partitions_and_warnings(site: None, client: Client, parcels: Parcels) -> None:
    parcels.start()
    found = numbers(client)
    assert found["wedsql_database_bytes"] > 1e6 and found["wedsql_partition_months_ahead"] >= 2
    assert found["wedsql_partition_default_rows"] == 0
    assert found['wedsql_table_bytes{table="wedsql.job_pool"}'] > 0
    assert found['wedsql_warning{kind="months"}'] == 0
    assert len([line for line in found if line.startswith("wedsql_table_dead_rows")]) <= 20


def test_large_numbers_are_whole() -> None:
    assert exposition.family("x", "h", [({}, 1234567890123)]).endswith("x 1234567890123\n")


def test_the_page_names_every_number(site: None, client: Client, parcels: Parcels) -> None:
    text = client.get("/metrics").content.decode()
    named = set(re.findall(r"^# TYPE (\w+)", text, re.MULTILINE))
    table = re.search(r"\| metric \|.*?\n\n", PAGE.read_text(), re.DOTALL)
    assert table
    report: set[str] = set()
    for row in table[0].strip().splitlines():
        first = row.split("|")[1]
        names = re.findall(r"`(\w+)`", first)
        report |= {n if n.startswith("wedsql") else names[0].rpartition("_")[0] + n for n in names}
    assert named == report


@pytest.mark.parametrize("path", ["/metrics"])
def test_a_scrape_is_well_formed(path: str, site: None, client: Client, parcels: Parcels) -> None:
    count(parcels, THREE)
    text = client.get(path).content.decode()
    seen: list[str] = []
    for line in text.splitlines():
        if line.startswith("# HELP"):
            seen.append(line.split()[2])
    assert len(seen) == len(set(seen)), "one block a metric"
    assert text.endswith("\n") and "\n\n" not in text
