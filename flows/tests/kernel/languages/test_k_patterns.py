"""Each control-flow pattern of the gallery runs as its file says, whatever the order of the workers is.

Several instances run at the same time. Workers take jobs by leases, so that jobs of one instance are
performed in parallel, and finish them in a random order with random results. Signals come, and what children
need is done, at random moments.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from flows import api
from flows.errors import WedError
from flows.patterns import Pattern, Run, patterns
from flows.patterns.code import needs_worker, values
from flows.patterns.gallery import children_of
from flows.tests.kit import Kit, broken
from flows.tests.spread import seeds
from flows.types import ClaimedJob

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="its workers take leases")]
INSTANCES, MOST_STEPS = 3, 2_000


@dataclass
class Play:
    """The workers of one pattern: their order is that of the random numbers."""

    kit: Kit
    pattern: Pattern
    random: Random
    running: dict[int, Run] = field(default_factory=dict)
    held: list[ClaimedJob] = field(default_factory=list)

    def __post_init__(self) -> None:
        triggers = [each for each in self.pattern.definition["triggers"] if "transition" in each]
        self.rules = {each["transition"]: each["name"] for each in triggers}
        self.signals = [each["transition"] for each in triggers if each.get("signal")]
        self.worked = [each["transition"] for each in triggers if needs_worker(each)]
        self.children = any(each.get("child") for each in triggers)
        self.alone = {
            each["transition"]: (each.get("mutex"), each.get("lock"))
            for each in triggers
            if each.get("mutex") or each.get("lock")
        }

    def start(self) -> None:
        """Start instances of each run of the pattern."""
        for run in self.pattern.runs * INSTANCES:
            wid = self.kit.start(**run.start)
            self.running[wid] = run
            if run.added:
                self.go_on()
                api.children.add(wid, self.kit.pending(wid)[0].id, run.added, conn=self.kit.conn)

    def play(self) -> None:
        """Let the workers work until there is nothing to do."""
        for _step in range(MOST_STEPS):
            if self.signals and self.random.random() < 0.1:
                self.signal(self.random.choice([*self.running]))
            elif self.children and self.random.random() < 0.2:
                api.children.continue_children(conn=self.kit.conn)
            elif not (self.work() or self.unblock()):
                return
        raise AssertionError("it does not end")

    def work(self) -> bool:
        """Take a job or finish one; return false if there is neither."""
        offered = api.jobs.offer(self.kit.name, self.worked, conn=self.kit.conn)
        chosen = self.random.choice([*offered, *self.held]) if offered or self.held else None
        if isinstance(chosen, ClaimedJob):
            self.finish(chosen)
        elif chosen is not None:
            self.held += api.jobs.lease_many(
                self.kit.name, [chosen.transition], 1, "tester", job_ids=[chosen.id], conn=self.kit.conn
            )
            self.check_alone()
        return chosen is not None

    def check_alone(self) -> None:
        """Assert that no two jobs of a group in an instance, or with one lock, are held at the same time."""
        needed = [(job.wid, self.alone[job.transition]) for job in self.held if job.transition in self.alone]
        groups = [(wid, mutex) for wid, (mutex, _lock) in needed if mutex]
        locks = [lock for _wid, (_mutex, lock) in needed if lock]
        assert len(set(groups)) == len(groups) and len(set(locks)) == len(locks), self.held

    def finish(self, job: ClaimedJob) -> None:
        """Commit a result; only that of a job that was withdrawn meanwhile is rejected."""
        self.held.remove(job)
        try:
            self.kit.complete(job, set_text=self.result(job.transition))
        except WedError:
            assert not self.kit.one("select 1 from wedsql.job_pool where id = %s", [job.id]), job

    def result(self, transition: str) -> str:
        return self.random.choice(self.pattern.results[self.rules[transition]])

    def unblock(self) -> bool:
        """Do what instances wait for besides workers; return false if they wait for nothing."""
        waiting = self.kit.rows(
            "select wid from wedsql.job_pool where trname = any (%s) and wid = any (%s) order by wid",
            (self.signals, [*self.running]),
        )
        for row in waiting:
            self.signal(row.wid)
        self.kit.reap()
        return bool(waiting) or (self.children and self.go_on())

    def go_on(self) -> bool:
        """Do what is due for children; return false if nothing is."""
        found = False
        while api.children.continue_children(conn=self.kit.conn) is not None:
            found = True
        return found

    def signal(self, wid: int) -> None:
        """Send a signal to an instance, unless it has ended."""
        name = self.random.choice(self.signals)
        if self.kit.status(wid) == "R":
            data = values(self.result(name), self.kit.state(wid))
            api.signals.send(self.kit.name, name, data, to=wid, conn=self.kit.conn)

    def check(self) -> None:
        """Assert that each instance has ended as its run says."""
        for wid, run in self.running.items():
            done = [self.rules[row.trw] for row in self.kit.trace(wid) if row.trw in self.rules]
            course = " ".join(done)
            assert self.kit.status(wid) == "F" and not self.kit.jobs(wid), course
            assert re.fullmatch(run.course, course), course
            assert not run.times or Counter(done) == run.times, course
            assert re.fullmatch(run.children, self.statuses(wid)), self.statuses(wid)
            if run.holds:
                text = f"select {run.holds} from {{f}}.wed_flow where wid = %s"
                assert self.kit.one(text, [wid]), self.kit.state(wid)

    def statuses(self, wid: int) -> str:
        """Return the last statuses of the children, in the order of the alphabet."""
        found = api.children.list(wid, conn=self.kit.conn) if self.children else []
        return "".join(sorted(each.status for each in found))


def run(kit: Kit, pattern: Pattern, definition: Mapping[str, Any]) -> None:
    kit.publish(children_of(kit.name, definition))
    for seed in seeds(1):
        play = Play(kit, pattern, Random(seed))  # noqa: S311
        play.start()
        play.play()
        play.check()
    ended = kit.rows("select status from wedsql.instance where flow_id = %s", [kit.id])
    assert {each.status for each in ended} <= {"F", "C"}


@pytest.mark.parametrize("name", patterns())
def test_a_pattern_ends_as_expected_in_each_order_of_the_workers(kit: Kit, name: str) -> None:
    run(kit, patterns()[name], patterns()[name].definition)
    assert broken(kit) == []


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("wcp14", "child_count"),
        ("wcp16", "revalidate"),
        ("wcp17", "mutex"),
        ("wcp39", "lock"),
        ("wcp43", "final_when_pending"),
    ],
)
def test_a_pattern_that_lacks_an_option_does_not_end_as_expected(kit: Kit, name: str, option: str) -> None:
    pattern = patterns()[name]
    triggers = [without(each, option) for each in pattern.definition["triggers"]]
    definition = without(pattern.definition, option) | {"triggers": triggers}
    with pytest.raises(AssertionError):
        run(kit, pattern, definition)


def without(found: Mapping[str, Any], option: str) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name != option}
