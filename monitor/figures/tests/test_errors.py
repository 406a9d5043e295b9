"""Errors by message: the list, the page of one with the instances behind it, and who sees which."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from monitor.tests.conftest import Parcels, get, text_of
from monitor.tests.test_overview import count, rows_of


@pytest.fixture
def failed(parcels: Parcels) -> list[int]:
    """Three instances that failed for the same reason, and one that failed for another."""
    wids = [parcels.start() for _n in range(4)]
    for n, wid in enumerate(wids[:3]):
        why = f"parcels.Torn: box {n} of customer 'Ana {n}' is torn (pack.py:{n} in pack)"
        parcels.park("tr_pack", wid, why)
    parcels.park("tr_pack", wids[3], "The printer is out of paper")
    count(parcels)
    return wids


def address_of(page: str, title: str) -> str:
    found = re.search(rf'href="(/errors/\d+/)"[^>]*>{re.escape(title)}', page)
    assert found, title
    return found[1]


def test_attempts_that_failed_for_the_same_reason_are_one_row(
    carol: Client, parcels: Parcels, failed: list[int]
) -> None:
    page = get(carol, f"/errors/?flow={parcels.flow}")
    shown = text_of(page)
    assert "box ... of customer ... is torn Torn" in shown, shown
    assert "The printer is out of paper Failed" in shown, shown
    assert rows_of(carol, f"/errors/?flow={parcels.flow}") == 2
    assert rows_of(carol, f"/errors/?flow={parcels.flow}&q=PRINTER") == 1
    assert "Ana 1" not in page


def test_the_instances_behind_an_error_are_listed_and_found_by_a_filter(
    carol: Client, parcels: Parcels, failed: list[int]
) -> None:
    address = address_of(get(carol, f"/errors/?flow={parcels.flow}"), "box ... of")
    page = get(carol, address)
    assert all(f'href="/instances/{wid}/"' in page for wid in failed[:3])
    assert f'href="/instances/{failed[3]}/"' not in page
    number = address.split("/")[2]
    listed = get(carol, f"/flows/{parcels.flow}/?q=error.group:{number}")
    assert {int(n) for n in re.findall(r'id="wid-(\d+)"', listed)} == set(failed[:3])
    others = get(carol, f"/flows/{parcels.flow}/?q=error.group!={number}")
    assert {int(n) for n in re.findall(r'id="wid-(\d+)"', others)} >= {failed[3]}
    assert not {int(n) for n in re.findall(r'id="wid-(\d+)"', others)} & set(failed[:3])


def test_who_may_operate_retries_or_repairs_them_together(
    alice: Client, carol: Client, parcels: Parcels, failed: list[int]
) -> None:
    address = address_of(get(carol, f"/errors/?flow={parcels.flow}"), "box ... of")
    assert "/bulk/new/" not in get(carol, address)
    User.objects.get(username__startswith="alice").user_permissions.add(
        *Permission.objects.filter(codename__in=("change_instance", "change_job"))
    )
    found = re.search(r'href="(/bulk/new/[^"]+)"', get(alice, address))
    assert found
    assert "3" in text_of(get(alice, found[1].replace("&amp;", "&")))


def test_errors_of_flows_that_are_not_visible_are_not_found(
    mallory: Client, carol: Client, parcels: Parcels, failed: list[int]
) -> None:
    address = address_of(get(carol, f"/errors/?flow={parcels.flow}"), "box ... of")
    assert rows_of(mallory, "/errors/") == 0
    assert mallory.get(address).status_code == 404


def test_errors_of_flows_with_values_that_one_may_not_see_are_not_shown(
    carol: Client, parcels: Parcels, failed: list[int]
) -> None:
    address = address_of(get(carol, f"/errors/?flow={parcels.flow}"), "box ... of")
    parcels.connection.execute(
        f"update {parcels.flow}.wed_attr set visibility = 'masked' where aname = 'customer'"
    )
    assert rows_of(carol, f"/errors/?flow={parcels.flow}") == 0
    assert carol.get(address).status_code == 404


def test_the_list_is_paginated_in_both_orders(carol: Client, parcels: Parcels) -> None:
    wid = parcels.start()
    words = ["".join(chr(97 + int(digit)) for digit in f"{n:03}") for n in range(120)]
    for n, word in enumerate(words):
        parcels.connection.execute(
            "insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, message)"
            " select 1, %s, 1, %s, 'tr_pack', wedsql.now(), 'failed', %s from generate_series(1, %s)",
            [wid, parcels.flow_id, f"Unlike {word}", n % 3 + 1],
        )
    count(parcels)
    assert rows_of(carol, f"/errors/?flow={parcels.flow}") == 120
    assert rows_of(carol, f"/errors/?flow={parcels.flow}&sort=most&window=day") == 120
    with CaptureQueriesContext(
        connection,
    ) as one:
        get(carol, f"/errors/?flow={parcels.flow}")
    with CaptureQueriesContext(connection) as few:
        get(carol, f"/errors/?flow={parcels.flow}&q=aaa")
    assert len(one) <= len(few)


@pytest.mark.parametrize(
    "after", ["x", "~~", "2026-01-01T00:00:00~1~1", "9~9~9", "2026-01-01T00:00:00%2B00:00~x~1"]
)
def test_a_place_that_cannot_be_read_is_the_first_page(
    carol: Client, parcels: Parcels, failed: list[int], after: str
) -> None:
    assert rows_of(carol, f"/errors/?flow={parcels.flow}&after={after}") == 2


@pytest.mark.parametrize("number", ["0", "999999999", "9" * 18, "9" * 30])
def test_an_error_that_there_is_not_is_not_found(carol: Client, number: str) -> None:
    assert carol.get(f"/errors/{number}/").status_code == 404
