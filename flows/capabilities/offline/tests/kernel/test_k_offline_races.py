"""Results of devices that arrive at the same moment as something else (T-189, K-56)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from flows import api
from flows.capabilities.offline.tests.kernel.device import TECHNICIAN, Phone, late_ones, violations
from flows.errors import WedError
from flows.tests.kit import Kit, broken
from testkit.waiting import until

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Return what these calls return, each in a thread of its own."""
    found: list[Any] = [None] * len(calls)

    def run(place: int) -> None:
        try:
            found[place] = calls[place]()
        except WedError as error:
            found[place] = error

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(calls))]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    return found


def test_a_result_that_arrives_five_times_at_once_counts_once(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    result = phone.made(phone.locked(wid), meter="17")
    lines = [cellar.connect() for _ in range(5)]
    found = at_once(*(lambda line=line: phone.send(1, result, line) for line in lines))
    assert {(one.state, one.seq) for one in found} == {("A", found[0].seq)}
    assert [one.trw for one in cellar.trace(wid)].count("tr_measure") == 1 and violations(cellar) == []


def test_results_that_arrive_at_once_in_any_order_are_applied_in_theirs(cellar: Kit) -> None:
    phone = Phone(cellar)
    made = [phone.made(phone.locked(cellar.start()), meter=str(n)) for n in range(6)]
    lines = [cellar.connect() for _ in made]
    at_once(*(lambda n=n: phone.send(n + 1, made[n], lines[n]) for n in (5, 2, 0, 4, 1, 3)))
    while api.offline.continue_offline(phone.id, conn=cellar.conn):
        pass
    assert phone.states() == "AAAAAA"
    order = cellar.rows("select decided_at from wedsql.device_result where device_id = %s order by number",
                        [phone.id])  # fmt: skip
    assert [one.decided_at for one in order] == sorted(one.decided_at for one in order)
    assert violations(cellar) == []


@pytest.mark.parametrize("first", ["office", "device"])
def test_of_a_result_and_a_colleague_one_counts_and_the_other_is_a_late_result(
    cellar: Kit, first: str
) -> None:
    """While one transaction is open the other waits for it, and sees what it did."""
    phone, wid = Phone(cellar), cellar.start()
    package = phone.locked(wid)
    api.tasks.release(package.job_id, "boss", force=True, conn=cellar.conn)
    person = "ana" if first == "device" else "bob"
    api.tasks.take(package.job_id, person, TECHNICIAN, conn=cellar.conn)
    one, two = cellar.connect(), cellar.connect()

    def office(conn: Any) -> Any:
        return api.tasks.complete(package.job_id, person, {"meter": "1"}, conn=conn)

    def device(conn: Any) -> Any:
        return phone.send(1, phone.made(package, meter="2"), conn)

    calls = [office, device] if first == "office" else [device, office]
    with one.transaction():
        calls[0](one)
        late: list[Any] = []
        thread = threading.Thread(target=lambda: late.extend(at_once(lambda: calls[1](two))))
        thread.start()
        waits = "select cardinality(pg_blocking_pids(%s)) > 0"
        until(lambda: cellar.one(waits, [two.info.backend_pid]), 30, "no wait")
    thread.join()
    steps = [each.trw for each in cellar.trace(wid)]
    assert steps.count("tr_measure") == 1 and broken(cellar) == []
    assert cellar.state(wid)["meter"] == "1"
    assert [each[0] for each in late_ones(cellar, wid)] == ["conflict"]
