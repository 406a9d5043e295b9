"""Random workflows in PDL do what the dissertation's algorithm does, in any order and with failures."""

from __future__ import annotations

from random import Random

import pytest

from flows import api
from flows.languages.pdl import CompiledWorkflow, check, compile_workflow, read
from flows.languages.pdl.compiler import MOST_WORDS
from flows.languages.pdl.model import AUTOMATIC, terms
from flows.tests.kit import Kit, broken
from flows.tests.pdl.pdl import AUTOMATIC as AUTO
from flows.tests.pdl.pdl import MANUAL, perform, states
from flows.tests.pdl.pdl_reference import Process, random_text
from flows.tests.people import PERSON, take
from flows.tests.spread import seeds

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

PROCESSES = 10  # for each seed


def named(made: CompiledWorkflow, state: str) -> set[str]:
    """Return the activities of which rules name a state."""
    found = [term for each in made.workflow.activities for term in terms(each.rule)]
    return {term.activity for term in found if term.state == state}


class Both:
    """An instance, and the same process in the reference interpreter."""

    def __init__(self, kit: Kit, made: CompiledWorkflow) -> None:
        self.kit, self.made = kit, made
        models = {each.id: each.type for each in made.library.models}
        automatic = {each.id for each in made.workflow.activities if models[each.model.id] == AUTOMATIC}
        self.process = Process(made.workflow, automatic)
        self.begun = named(made, "RUNNING") & automatic  # that a person has begun is not in the state
        self.failing = named(made, "FAILED")
        self.wid = kit.start()

    def compare(self) -> None:
        """Assert that both have the same states, and that the instance has ended as it should."""
        shown = {
            name: "READY" if state == "RUNNING" and name not in self.begun else state
            for name, state in self.process.states.items()
        }
        assert states(self.kit, self.wid, self.made) == shown
        status = "R" if self.process.active() else "E" if self.left() else "F"
        assert self.kit.status(self.wid) == status

    def left(self) -> list[str]:
        """Return the activities that have failed, of which no rule reads that."""
        return [
            name
            for name, state in self.process.states.items()
            if state == "FAILED" and name not in self.failing
        ]

    def step(self, random: Random) -> None:
        """Perform one of the pending jobs in both, or take or give back a task."""
        name = random.choice(self.kit.jobs(self.wid))
        (job,) = [each for each in self.kit.pending(self.wid) if each.trname == name]
        if name not in self.process.automatic and random.random() < 0.4:
            self.hold(random, name, job.id)
            return
        fails = random.random() < 0.3
        perform(self.kit, name, self.wid, fails=fails)
        self.process.finish(name, "FAILED" if fails else "SUCCEEDED")

    def hold(self, random: Random, name: str, task: int) -> None:
        """Take a task, or give it back; it has been begun since it was taken first."""
        if self.kit.one("select owner from wedsql.task where job_id = %s", [task]) is None:
            take(self.kit, task)
            if self.process.states[name] == "READY":
                self.process.change(name, "RUNNING")
        else:
            api.tasks.release(task, PERSON, conn=self.kit.conn)

    def retry(self, random: Random) -> None:
        """Let a person retry all that failed and is not read, and some of the rest that failed."""
        states = self.process.states
        again = [*self.left()]
        again += [name for name in states if states[name] == "FAILED" and random.random() < 0.5]
        changes = dict.fromkeys(again, "READY")
        api.repairs.repair(self.wid, "patch", {"changes": changes}, "again", conn=self.kit.conn)
        for name in changes:
            self.process.change(name, "READY")


@pytest.mark.parametrize("seed", seeds(40, short=3))
def test_t097_the_same_tasks_are_ready_as_by_the_dissertations_scheduler(kit: Kit, seed: int) -> None:
    random = Random(seed)  # noqa: S311
    for _each in range(PROCESSES):
        text = random_text(random) + MANUAL + AUTO
        library = read(text)[0]
        assert [each for each in check(library) if each.severity == "error"] == [], text
        made = compile_workflow(library, most_words=random.choice((0, MOST_WORDS)))
        api.flows.publish(kit.name, made.compiled.definition, conn=kit.conn)
        both = Both(kit, made)
        both.compare()
        for _step in range(60):
            if both.process.active():
                both.step(random)
            elif both.left():
                both.retry(random)
            else:
                break
            both.compare()
    assert broken(kit) == []
