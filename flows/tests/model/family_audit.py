"""What must be true of child instances after every call: their ends are counted once, and into their parent.

The tables keep less than that takes, as retention removes children: `Families` remembers every child, and
what became of it when it was counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field

from flows.tests.model.facts import Facts, Row

Job = tuple[int, int]  # the parent and the number of a job
Finding = tuple[str, object]
DEPTH = 2  # the limit of levels in the machine's database
ENDED = "FCA"
# Results of a job that the machine defines, and the counters in them.
RESULTS = {"b": "done", "c": "failed"}


def job_of(row: Row) -> Job:
    """Return the job of a row of wedsql.child or wedsql.child_job."""
    return row["parent_wid"], row["job_id"]


@dataclass
class Families:
    """The children that were seen so far, per job."""

    children: dict[int, Job] = field(default_factory=dict)
    counted: dict[int, bool] = field(default_factory=dict)  # whether the child was final then
    left_open: dict[Job, bool] = field(
        default_factory=dict
    )  # jobs that ended, and whether they keep children

    def findings(self, now: Facts) -> Iterator[Finding]:
        """Yield every violation, and remember what is new. It is called after each step of the reaper."""
        for child in now.children:
            self.children[child["wid"]] = job_of(child)
            if child["state"] in "CX" and child["wid"] not in self.counted:
                self.counted[child["wid"]] = _status(now, child) == "F"
            yield from self._child(now, child)
        for job in now.child_jobs:
            yield from self._counters(job)
            yield from self._ended(now, job)
        yield from _offered(now)

    def _child(self, now: Facts, child: Row) -> Iterator[Finding]:
        """Check that the end of a child is noted, and that the child is where it belongs."""
        instance = now.instances.get(child["wid"])
        if instance is None or instance["parent_wid"] != child["parent_wid"]:
            yield "a child of nothing", (child, instance)
        elif instance["status"] in ENDED and child["state"] not in "EC":
            yield "an end that is not noted", child
        if child["depth"] > DEPTH:
            yield "a child too deep", child
        above = next((row for row in now.children if row["wid"] == child["parent_wid"]), None)
        place = (above["depth"] + 1, above["root_wid"]) if above else (1, child["parent_wid"])
        if (above or child["parent_wid"] not in self.children) and place != (
            child["depth"],
            child["root_wid"],
        ):
            yield "a child in another place", (child, above)

    def _counters(self, job: Row) -> Iterator[Finding]:
        """Check that the counters of a job are those of its children, each of which counts once."""
        own = [wid for wid, key in self.children.items() if key == job_of(job)]
        ends = [self.counted[wid] for wid in own if wid in self.counted]
        if (job["done"], job["failed"]) != (ends.count(True), ends.count(False)):
            yield "counters differ from the children", (job, own)
        if job["started"] != len(own) or len(own) > (job["total"] or 0):
            yield "more or fewer children", (job, own)

    def _ended(self, now: Facts, job: Row) -> Iterator[Finding]:
        """Check the result of a job that has just ended; remember what its trigger says about the rest."""
        key = job_of(job)
        if job["ended_at"] is None or key in self.left_open:
            return
        trigger = now.triggers.get(job["tgid"], {})
        step = next((row for row in now.trace.get(key[0], []) if row["job_id"] == key[1]), None)
        self.left_open[key] = step is not None and trigger.get("child_rest") != "cancel"
        if step is None or step["actor"] != "kernel":
            return
        if not enough(job, trigger):
            yield "joined too early", (job, trigger.get("child_wait"))
        lines = trigger.get("child_result") or []
        for name, counter in RESULTS.items():
            expected = f"{name} = children_{counter}" in lines and not trigger["sets"]
            if expected and step["state"].get(name) != job[counter]:
                yield "a counter that was not committed", (job, name, step["state"])

    def at_rest(self, now: Facts, excused: Set[int]) -> Iterator[Finding]:
        """Yield what the reaper should have done, where nothing is left to it."""
        jobs = {job_of(job): job for job in now.child_jobs}
        for child in now.children:
            status = _status(now, child)
            job = jobs.get(job_of(child))
            if job is None or status in ENDED or excused & {child["wid"], child["parent_wid"]}:
                continue
            above = now.instances[child["parent_wid"]]["status"]
            if job["ended_at"] is not None:
                if not self.left_open.get(job_of(job), True):
                    yield "runs on after its parent's job", (child, status, job)
            elif above in ENDED:
                yield "runs on after its parent", (child, status, above)
            elif above == "S" and status != "S" and not child["held"]:
                yield "runs below a suspended parent", (child, status)
            elif above in "RE" and status == "S" and child["held"]:
                yield "suspended below a running parent", child
        for job in jobs.values():
            if job["parent_wid"] not in excused:
                yield from _waits(now, job)


def enough(job: Row, trigger: Row) -> bool:
    """Return whether as many children have ended as complete the job."""
    total = job["total"] or 0
    needed = {None: total, "0": 0, "1": min(1, total), "children / 2": total // 2}
    return job["done"] + job["failed"] >= needed[trigger.get("child_wait")]


def _status(now: Facts, child: Row) -> str:
    instance = now.instances.get(child["wid"])
    return instance["status"] if instance else ""


def _offered(now: Facts) -> Iterator[Finding]:
    """Check that jobs that wait for children are known as such, and offered to no worker."""
    known = {job_of(job) for job in now.child_jobs}
    for job in (job for jobs in now.jobs.values() for job in jobs):
        trigger = now.triggers.get(job["tgid"], {})
        starts = bool(trigger.get("child"))
        if starts and job["state"] in "PL" and (job["state"], job["assigned_to"]) != ("P", ""):
            yield "a worker may take a job of children", job
        waits = job["assigned_to"] == "" and trigger.get("performer") != "person"
        if starts is not ((job["wid"], job["id"]) in known) or waits > starts:
            yield "a job of children is not known", job


def _waits(now: Facts, job: Row) -> Iterator[Finding]:
    """Check that a job that is pending waits for a child."""
    pending = [own for own in now.jobs.get(job["parent_wid"], []) if own["id"] == job["job_id"]]
    status = now.instances[job["parent_wid"]]["status"]
    if job["ended_at"] is None and not pending:
        yield "children of a job that is gone", job
    elif job["ended_at"] is None and status in "RE" and pending[0]["state"] == "P":
        trigger = now.triggers.get(job["tgid"], {})
        blocked = pending[0]["last_state"] == "WD103"
        if (job["started"] != job["total"] or enough(job, trigger)) and not blocked:
            yield "waits for no child", (job, status, trigger.get("child_wait"))
    if job["due_at"] is not None and job["ended_at"] is not None and job["rest"] is None:
        yield "never at an end", job
