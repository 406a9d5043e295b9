"""Hosts of applications that are chosen by load."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit
from flows.types import ClaimedJob

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="its sessions take jobs in each way")]
HOSTS = ["iguacu", "tuiuiu", "araguaia"]


@pytest.fixture
def print_shop(kit: Kit) -> Kit:
    """Documents that are printed on one of three hosts, the one that runs the least."""
    kit.attrs("printed")
    kit.trig("tr_print", "printed is null", max_attempts=5)
    kit.final("printed is not null")
    application = {"hosts": HOSTS, "by_load": True}
    source = {
        "language": "pdl",
        "format": "",
        "text": "",
        "map": {"tasks": {"tr_print": {"application": application}}},
    }
    api.flows.keep_source(kit.name, source, conn=kit.conn)
    return kit


def host(kit: Kit, job: ClaimedJob, attempt: int = 1, conn: Any = None) -> str | None:
    given = (kit.name, "tr_print", attempt, job.wid, job.id)
    return api.flows.task_host(*given, conn=conn or kit.conn)


def test_t279_the_host_that_runs_the_least_is_chosen(print_shop: Kit) -> None:
    kit = print_shop
    for _ in range(7):
        kit.start()
    jobs = api.jobs.lease_many(kit.name, ["tr_print"], 7, "w", conn=kit.conn)
    assert [host(kit, job) for job in jobs[:4]] == [*HOSTS, HOSTS[0]], "of equals the first"
    assert host(kit, jobs[1]) == HOSTS[1], "asked again"
    for job in (jobs[0], jobs[3]):
        assert api.jobs.complete(job, {"printed": "x"}, conn=kit.conn).ok
    assert host(kit, jobs[4]) == HOSTS[0]
    api.jobs.release(jobs[1], conn=kit.conn)
    assert [host(kit, job) for job in jobs[5:]] == [HOSTS[1], HOSTS[0]]
    assert kit.one("select count(*) from wedsql.host_use") == 5, "what ended is deleted"


def test_a_job_that_failed_on_a_host_goes_to_another_even_if_that_runs_more(print_shop: Kit) -> None:
    kit = print_shop
    for _ in range(4):
        kit.start()
    jobs = api.jobs.lease_many(kit.name, ["tr_print"], 4, "w", conn=kit.conn)
    assert [host(kit, job) for job in jobs] == [*HOSTS, HOSTS[0]]
    for job in (jobs[0], jobs[3]):
        api.jobs.release(job, conn=kit.conn)
    assert host(kit, jobs[0], attempt=2) == HOSTS[1]


def test_a_transaction_that_performs_a_job_counts_until_it_ends(print_shop: Kit) -> None:
    kit, other = print_shop, print_shop.connect()
    kit.start(), kit.start()
    first, second = api.jobs.lease_many(kit.name, ["tr_print"], 2, "w", conn=kit.conn)
    with other.transaction(force_rollback=True):
        assert host(kit, first, conn=other) == HOSTS[0]
        assert host(kit, second) == HOSTS[1]
    assert kit.rows("select host from wedsql.host_use") == [(HOSTS[1],)]


def test_without_a_job_or_the_choice_they_are_in_their_order(print_shop: Kit) -> None:
    kit = print_shop
    assert [api.flows.task_host(kit.name, "tr_print", n, conn=kit.conn) for n in (1, 2, 3, 4)] == [
        *HOSTS,
        HOSTS[0],
    ]
    assert api.flows.task_host(kit.name, "tr_none", 1, conn=kit.conn) is None
