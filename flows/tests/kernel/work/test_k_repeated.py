"""Repeated results, and several results of one instance in one call: each item gets its own answer."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, refused
from flows.types import ClaimedJob, Completion

pytestmark = pytest.mark.kernel


@pytest.fixture
def two(kit: Kit) -> Kit:
    """A flow with two parallel branches over attributes of several types."""
    kit.attr("n", "0", "integer")
    kit.attr("when", None, "timestamptz")
    kit.attr("doc", None, "jsonb")
    kit.attrs("a", "b")
    kit.trig("tr_a", "a is null")
    kit.trig("tr_b", "b is null")
    kit.trig("tr_n", "n between 1 and 8")
    kit.final("n = 9")
    return kit


def leased(kit: Kit, *transitions: str) -> list[ClaimedJob]:
    """Return a lease on the job of each of these transitions."""
    return [kit.lease(transition) for transition in transitions]


def test_f1_two_claims_of_one_instance_in_one_call(two: Kit) -> None:
    wid = two.start()
    given = [
        Completion(job, {job.transition[-1]: "done", "n": n})
        for n, job in enumerate(leased(two, "tr_a", "tr_b"), start=1)
    ]
    answers = list(api.jobs.complete_many(two.name, given, conn=two.conn))
    assert [(one.job_id, one.ok) for one in answers] == [(each.job.id, True) for each in given]
    assert sorted(one.seq for one in answers) == [2, 3]
    assert two.state(wid)["a"] == two.state(wid)["b"] == "done" and two.state(wid)["n"] == 2


def test_f1_the_same_job_twice_in_one_call(two: Kit) -> None:
    wid = two.start()
    (job,) = leased(two, "tr_a")
    given = [Completion(job, {"a": "1"}), Completion(job, {"a": "1"}), Completion(job, {"a": "2"})]
    answers = list(api.jobs.complete_many(two.name, given, conn=two.conn))
    assert [(one.ok, one.seq) for one in answers] == [(True, 2), (True, 2), (False, None)]
    assert two.state(wid)["a"] == "1" and len(two.trace(wid)) == 2


def test_f1_two_jobs_of_one_instance_taken_by_one_transaction(two: Kit) -> None:
    wid = two.start()
    with two.conn.transaction():
        jobs = [api.jobs.take_many(two.name, [t], 1, conn=two.conn)[0] for t in ("tr_a", "tr_b")]
        given = [Completion(job, {job.transition[-1]: "done"}) for job in jobs]
        assert [one.ok for one in api.jobs.complete_many(two.name, given, conn=two.conn)] == [True, True]
    assert (two.state(wid)["a"], two.state(wid)["b"]) == ("done", "done")


@pytest.mark.parametrize(
    "again", [{"a": "2"}, {}, {"a": "1", "b": "1"}, {"b": "1"}, {"a": None}, {"zz": "1"}]
)
@pytest.mark.parametrize("final", [False, True])
def test_f1_a_repeat_with_another_result_is_refused(two: Kit, again: dict[str, Any], final: bool) -> None:
    wid = two.start(b="x")
    (job,) = leased(two, "tr_a")
    end = {"n": 9} if final else {}
    first = two.complete(job, {"a": "1"} | end)
    assert two.complete(job, {"a": "1"} | end) == first
    with refused("WD102" if final else "WD205"):
        two.complete(job, again | end)
    assert two.state(wid)["a"] == "1"


def test_f1_a_repeat_is_the_same_in_another_spelling(two: Kit) -> None:
    wid = two.start(b="x")
    (job,) = leased(two, "tr_a")
    doc = {"k": [1, 2], "l": None}
    first = two.complete(job, {"a": "1", "n": 5, "when": "2026-01-01T12:00:00+02:00", "doc": doc})
    same = {"n": "5", "a": "1", "doc": {"l": None, "k": [1, 2]}, "when": "2026-01-01 10:00:00Z"}
    assert two.complete(job, same) == first
    with refused("WD205"):
        two.complete(job, same | {"when": "2026-01-01 11:00:00Z"})
    assert len(two.trace(wid)) == 2


def test_f1_a_repeated_set_string_gets_the_first_answer(two: Kit) -> None:
    wid = two.start(b="x")
    (job,) = leased(two, "tr_a")
    first = two.complete(job, set_text="a = 'x', n = 1 / (1 - n)")
    assert two.state(wid)["n"] == 1, "on which the string could not be computed any more"
    assert two.complete(job, set_text="a = 'x', n = 1 / (1 - n)") == first
    for other in ("a = 'x', n = n + 2", "a = 'y', n = 1", "a = 'x'"):
        with refused("WD205"):
            two.complete(job, set_text=other)
    assert two.complete(job, {"a": "x", "n": 1}) == first, "it says the same"
    assert two.state(wid)["n"] == 1
