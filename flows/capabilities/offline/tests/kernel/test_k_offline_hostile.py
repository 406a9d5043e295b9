"""Devices that send anything: what is no result is rejected in words, and nothing stops what is behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from flows import api
from flows.capabilities.offline.tests.kernel.device import (
    TECHNICIAN,
    Phone,
    cases,
    late_ones,
    violations,
)
from flows.capabilities.offline.tests.kernel.test_k_offline_chains import chain as chain
from flows.capabilities.offline.tests.kernel.test_k_offline_chains import followers, follows
from flows.errors import WedError
from flows.tests.kit import Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

FIELDS = (
    "task", "claim", "seq", "after", "of", "transition", "values", "outcome", "reason", "made_at", "sent_at",
    "without", "digest", "discarded",
)  # fmt: skip
ODD: tuple[Any, ...] = (
    None, "", "x", "1e9", -1, 1.5, 2**31, 2**63, 10**30, [], {}, True, "infinity", "9999-12-31T24:00:00Z",
    "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "0000-01-01T00:00:00Z", "epoch", "\u202e",
    "2026-05-01T12:00:00+99:99", "2026-05-01T:::Z", "\u0661",
)  # fmt: skip


def odd_results(phone: Phone, wid: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return each kind of result with each odd value of each field, and a name of it."""
    package = phone.locked(wid)
    kinds: dict[str, dict[str, Any]] = {
        "discarded": {"discarded": True},
        "performed": phone.made(package, meter=5),
        "following": follows(package, 1, repaired="x"),
    }
    for kind, made in kinds.items():
        for field in FIELDS:
            for odd in ODD:
                yield f"{kind}, {field}: {odd!r}", made | {field: odd}


def test_whatever_a_device_sends_is_kept_or_rejected_in_words_and_stops_nothing(chain: Kit) -> None:
    phone, wid = Phone(chain), chain.start()
    found, tried = [], 0
    for number, (name, made) in enumerate(odd_results(phone, wid)):
        with chain.conn.transaction(force_rollback=True):
            device = Phone(chain, "ana", f"device-of-a-clerk-{number}")
            tried += 1
            try:
                device.send(1, {"discarded": True})
                api.offline.keep_result(device.person, device.key, 3, made, conn=chain.conn)
                device.send(2, {"discarded": True})
                states = device.states()
            except WedError as error:
                if error.code != "WD009":
                    found.append(f"{name}: {error.code} {error.message}")
                continue
            if len(states) != 3 or "W" in states:
                found.append(f"{name}: {states}")
    assert not found, "\n".join(found)
    assert tried == 3 * len(FIELDS) * len(ODD)


def test_a_result_that_waits_is_discarded_whatever_else_is_said_of_it(chain: Kit) -> None:
    phone = Phone(chain)
    made = phone.made(phone.locked(chain.start()), meter=5)
    assert phone.send(2, made).state == "W"
    phone.send(2, {"discarded": True, "after": "x", "task": "y", "made_at": "never"})
    phone.send(1, {"discarded": True})
    assert phone.states() == "XX"


def test_who_was_given_no_task_of_an_instance_leaves_nothing_at_it(chain: Kit) -> None:
    phone, wid = Phone(chain), chain.start()
    stranger = Phone(chain, "mallory", "phone-of-a-stranger")
    package = phone.locked(wid)
    stranger.send(1, {"discarded": True})
    for number, transition in enumerate(("tr_repair", "tr_office", "tr_measure"), start=2):
        found = stranger.send(number, follows(package, 1, transition, meter=4, filed="yes"))
        assert (found.state, found.late_id, found.instance) == ("R", None, None)
        assert "hint" not in (found.problem or {}) or not found.problem["hint"]  # type: ignore[index]
    assert late_ones(chain, wid) == [] and cases(chain, wid) == [] and violations(chain) == []


def test_results_with_the_same_values_for_two_transitions_are_both_kept(chain: Kit) -> None:
    phone, other, wid = Phone(chain), Phone(chain, key="tablet-of-a-technician"), chain.start()
    package = phone.locked(wid)
    followers(phone, package)
    other.package(package.job_id)
    phone.send(1, phone.made(package, meter=17))
    first = phone.send(2, follows(package, 1, repaired="yes"))
    second = phone.send(3, follows(package, 1, "tr_check", repaired="yes"))
    other.send(1, {"discarded": True})
    again = other.send(2, follows(package, 1, repaired="yes"))
    assert [one.late for one in (first, second, again)] == ["conflict"] * 3
    assert again.late_id == first.late_id != second.late_id and len(late_ones(chain, wid)) == 2
    assert violations(chain) == []


def test_a_late_result_that_two_devices_send_alike_is_late_for_both(chain: Kit) -> None:
    phone, other, wid = Phone(chain), Phone(chain, key="tablet-of-a-technician"), chain.start()
    package = phone.locked(wid)
    other.package(package.job_id)
    api.tasks.give(package.job_id, "boss", "bob", force=True, conn=chain.conn)
    api.tasks.take(package.job_id, "bob", TECHNICIAN, conn=chain.conn)
    api.tasks.complete(package.job_id, "bob", {"meter": 99}, conn=chain.conn)
    found = [each.send(1, each.made(package, meter=17)) for each in (phone, other)]
    assert [one.state for one in found] == ["L", "L"] and found[0].late_id == found[1].late_id
    assert len(late_ones(chain, wid)) == 1 and violations(chain) == []


def test_results_that_wait_for_another_one_have_a_limit(chain: Kit) -> None:
    phone = Phone(chain)
    made = phone.made(phone.locked(chain.start()), meter=5)
    fill = "select string_agg(md5(n::text), '') from generate_series(1, 60000) n"
    large = made | {"values": {"repaired": chain.one(fill)}}  # which no compression makes smaller
    found = 1
    with refused("WD009") as why:
        for found in range(2, 40):
            phone.send(found, large)
    assert "result 1 are too large" in why.message and 8 < found < 30
    assert phone.send(2, large).state == "W", "what is kept has its answer"
    assert phone.send(1, made).state == "A" and "W" not in phone.states()
