"""Tasks that become ready on a device: results are replayed in their order, or are late results (T-298)."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.capabilities.offline.api import OfflinePackage
from flows.capabilities.offline.tests.kernel.device import (
    NOON,
    TECHNICIAN,
    Phone,
    cases,
    late_ones,
    violations,
)
from flows.tests.kit import Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
PERSON = {"performer": "person", "role": "Technician", "offline": True}


@pytest.fixture
def chain(kit: Kit) -> Kit:
    """Who measures repairs, too, where the meter shows too much; the office files it."""
    kit.rows("delete from wedsql.device")
    kit.attr("meter", kind="integer")
    kit.attrs("repaired", "checked", "filed")
    kit.trig("tr_measure", "meter is null", writes=["meter"], **PERSON)
    kit.trig("tr_repair", "meter > 100 and repaired is null", writes=["repaired"],
             **PERSON | {"role": "", "same_as": "tr_measure"})  # fmt: skip
    kit.trig("tr_check", "repaired is not null and checked is null", writes=["checked"],
             **PERSON | {"not_by": ["tr_measure"]})  # fmt: skip
    kit.trig("tr_office", "meter is not null and filed is null", performer="person", role="Clerk")
    kit.final("filed is not null")
    return kit


def followers(phone: Phone, package: OfflinePackage) -> dict[str, Any]:
    task = package.job_id
    return api.offline.chain(phone.person, phone.key, task, TECHNICIAN, conn=phone.kit.conn)


def follows(
    package: OfflinePackage, number: int, transition: str = "tr_repair", **values: Any
) -> dict[str, Any]:
    times = {"made_at": NOON, "sent_at": NOON}
    made = {"after": number, "of": package.job_id, "transition": transition, "values": values}
    return made | times


def test_t298_what_follows_for_the_same_person_is_on_the_device(chain: Kit) -> None:
    phone = Phone(chain)
    found = followers(phone, phone.locked(chain.start()))
    assert [one["transition"] for one in found["tasks"]] == ["tr_repair"], "no office, no other person"
    assert found["tasks"][0]["asks"] == ["meter", "repaired"] and found["tasks"][0]["tree"]


def test_t298_both_results_are_replayed_in_their_order(chain: Kit) -> None:
    phone, wid = Phone(chain), chain.start()
    package = phone.locked(wid)
    followers(phone, package)
    assert phone.send(2, follows(package, 1, repaired="yes")).waits_for == 1
    assert phone.send(1, phone.made(package, meter=170)).state == "A" and phone.states() == "AA"
    assert phone.send(2, follows(package, 1, repaired="yes")).state == "A", "sent again it counts once"
    steps = [(one.trw, one.actor) for one in chain.trace(wid)]
    assert steps[-2:] == [("tr_measure", "ana"), ("tr_repair", "ana")] and late_ones(chain, wid) == []
    assert chain.state(wid)["repaired"] == "yes" and violations(chain) == []


def test_t298_a_task_that_was_prefetched_meanwhile_is_performed_as_it_was_offered(chain: Kit) -> None:
    phone, wid = Phone(chain), chain.start()
    package = phone.locked(wid)
    followers(phone, package)
    assert phone.send(1, phone.made(package, meter=170)).state == "A"
    (task,) = [one for one in api.tasks.of_instance(wid, conn=chain.conn) if one.transition == "tr_repair"]
    api.offline.prefetch_package("ana", phone.key, task.job_id, TECHNICIAN, conn=chain.conn)
    assert phone.send(2, follows(package, 1, repaired="yes")).state == "A"
    assert chain.state(wid)["repaired"] == "yes" and violations(chain) == []


def test_a_chain_begins_with_a_task_that_was_locked(chain: Kit) -> None:
    phone, wid = Phone(chain), chain.start()
    (task,) = [one for one in api.tasks.of_instance(wid, conn=chain.conn) if one.transition == "tr_measure"]
    package = api.offline.prefetch_package("ana", phone.key, task.job_id, TECHNICIAN, conn=chain.conn)
    followers(phone, package)
    phone.send(1, {"discarded": True})
    assert phone.send(2, follows(package, 1, repaired="yes")).state == "R"
    assert late_ones(chain, wid) == [] and cases(chain, wid) == []


@pytest.mark.parametrize("why", ["refused", "not ready", "given back and taken", "changed"])
def test_t298_where_the_site_decides_otherwise_the_second_is_a_late_result(chain: Kit, why: str) -> None:
    phone, wid = Phone(chain), chain.start()
    package = phone.locked(wid)
    followers(phone, package)
    if why == "refused":
        first = phone.made(package, meter="much")
    else:
        first = phone.made(package, meter=17 if why == "not ready" else 170)
    assert phone.send(1, first).state == ("R" if why == "refused" else "A")
    if why == "given back and taken":
        (task,) = [t for t in api.tasks.of_instance(wid, conn=chain.conn) if t.transition == "tr_repair"]
        api.tasks.give(task.job_id, "boss", "bob", force=True, conn=chain.conn)
        api.tasks.take(task.job_id, "bob", TECHNICIAN, conn=chain.conn)
    if why == "changed":
        (task,) = [t for t in api.tasks.of_instance(wid, conn=chain.conn) if t.transition == "tr_office"]
        api.tasks.take(task.job_id, "carl", ["r:Clerk"], conn=chain.conn)
        api.tasks.complete(task.job_id, "carl", {"repaired": "no"}, conn=chain.conn)
    found = phone.send(2, follows(package, 1, repaired="yes"))
    assert (found.state, found.late) == ("L", "conflict") and found.problem
    assert cases(chain, wid) == ["LATE_RESULT"] and chain.state(wid)["repaired"] != "yes"
    assert violations(chain) == []


def test_t298_a_device_performs_only_what_it_was_offered(chain: Kit) -> None:
    phone, wid = Phone(chain), chain.start()
    package = phone.locked(wid)
    phone.send(1, phone.made(package, meter=170))
    found = phone.send(2, follows(package, 1, "tr_office", filed="yes"))
    assert (found.state, found.late) == ("L", "conflict") and chain.state(wid)["filed"] is None
    assert phone.send(3, follows(package, 1, "tr_nothing", filed="yes")).state == "R"


WRONG = [{"after": 2}, {"after": "x"}, {"transition": ""}, {"task": 1}, {"of": None}]


@pytest.mark.parametrize("change", WRONG)
def test_a_result_that_follows_names_an_earlier_one(chain: Kit, change: dict[str, Any]) -> None:
    phone = Phone(chain)
    package = phone.locked(chain.start())
    phone.send(1, {"discarded": True})
    with refused("WD009"):
        phone.send(2, follows(package, 1) | change)


def test_a_result_that_follows_one_of_another_instance_is_not_applied_to_that(chain: Kit) -> None:
    phone, first, second = Phone(chain), chain.start(), chain.start()
    package, other = phone.locked(first), phone.locked(second)
    for each in (package, other):
        followers(phone, each)
    assert phone.send(1, phone.made(other, meter=170)).state == "A"
    assert phone.send(2, follows(package, 1, repaired="yes")).late == "conflict"
    assert chain.state(second)["repaired"] is None and cases(chain, first) == ["LATE_RESULT"]
