"""Random operations of the repair desk on random flows, between workers, signals and late results.

After each of them the invariants hold, the history has only grown, and each refusal is a typed error.
"""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import psycopg
import pytest

from flows import api
from flows.errors import NoMatch, WedError
from flows.tests.kit import Kit, broken
from flows.tests.spread import seeds
from flows.types import ClaimedJob

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="the operations are of no mode")]

ATOMS = ["a = 'x'", "a = 'y'", "b = 'x'", "b is null", "c is null", "c = 'y'", "a <> 'z'", "b = 'z'"]
VALUES = ["x", "y", "z", None]
HISTORY = """
    select wid, string_agg(md5(row(seq, trw, state, status, fired, actor, reason)::text), ',' order by seq)
    from wedsql.wed_trace where flow_id = %s group by wid"""
WHOLE = (
    "rematch",
    "suspend",
    "resume",
    "cancel",
    "accept",
    "abort",
    "skip_compensation",
    "patch",
    "retry",
    "undo",
)
# What an undo restores: all but leases that ended; the record _EXCPT is made again.
RESTORED = """
    select jsonb_build_object('state', to_jsonb(w), 'status', i.status, 'reason', i.reason,
      'ended', i.finished_at, 'jobs', (
        select jsonb_agg(case when j.tgid = 0 then '{"trname": "_EXCPT"}' else to_jsonb(j)
            - '{claim,lckid,lease_until}'::text[]
            || case when j.state = 'L' then '{"state": "P"}' else '{}'::jsonb end end order by j.tgid, j.id)
        from wedsql.job_pool j where j.wid = i.wid),
      'timers', (select jsonb_agg(to_jsonb(x) order by to_jsonb(x)) from wedsql.timer x where x.wid = i.wid),
      'skipped', (select jsonb_agg(to_jsonb(s) order by to_jsonb(s)) from wedsql.skipped s
                  where s.wid = i.wid))
    from wedsql.instance i join {f}.wed_flow w on w.wid = i.wid where i.wid = %s"""
OF_JOB = ("retry", "release", "withdraw", "complete", "skip", "extend")
OF_STEP = ("rollback", "compensate", "branch", "replay")


class Player:
    """Performs one random act after the other."""

    def __init__(self, kit: Kit, seed: int) -> None:
        self.kit = kit
        self.draw = random.Random(seed)  # noqa: S311 - the same run each time
        self.leases: list[ClaimedJob] = []
        self.minutes = 0
        self.history: dict[int, str] = {}
        self.said = ""
        self.undone: set[str] = set()
        self.waits = seed % 2 == 1
        self.automatic = seed % 3 == 2
        self.outcomes: set[str] = set()

    def define(self) -> None:
        self.kit.attrs("a", "b", "c")
        for n in range(self.draw.randint(2, 4)):
            how = self.draw.choice(["none", "inverse", "transition"])
            options = {"compensation": how, "max_attempts": self.draw.choice([1, 3])}
            options["replay"] = self.draw.choice(["call", "reuse"])
            if how == "transition":
                options |= {"compensated_by": f"tr_undo{n}", "class": "compensatable"}
            if n == 0 and self.waits:
                options |= {"signal": True, "keep": self.draw.choice([None, "10 minutes"])}
            parts = 1 if options.get("signal") else 2
            self.kit.trig(f"tr_{n}", " and ".join(self.draw.sample(ATOMS, parts)), **options)
        if self.automatic:
            flip = {"sets": "c = case when c = 'y' then 'x' else 'y' end", "max_firings": 5}
            self.kit.trig("tr_flip", self.draw.choice(ATOMS), performer="database", **flip)
            self.kit.trig("tr_set", "a = 'y'", performer="database", sets="a = 'x', b = c")
        self.kit.trig("tr_later", "b = 'x' and c = 'y'", due_after="1 day")
        self.kit.final(self.draw.choice(["a = 'z' and b = 'z'", "c = 'z'"]))
        self.kit.policy(final_when_pending=self.draw.choice(["reject", "defer"]))

    def changes(self) -> dict[str, Any]:
        return {name: self.draw.choice(VALUES) for name in self.draw.sample("abc", self.draw.randint(0, 2))}

    def act(self) -> None:
        acts = [self.start, self.work, self.work, self.lease, self.deliver, self.fail, self.reap, self.decide]
        acts += [self.signal] * 2 * self.waits
        act = self.draw.choice([*acts, self.operate, self.operate, self.operate])
        try:
            act()
        except WedError as error:
            self.said += f" refused {error.code}"
            assert error.code.startswith("WD"), (self.said, error)
        except psycopg.Error as error:
            raise AssertionError(f"{self.said}: {error.sqlstate} {error}") from error

    def start(self) -> None:
        self.said = "start"
        for _ in range(10):
            try:
                self.kit.start(**{name: self.draw.choice(VALUES) for name in "abc"})
                return
            except NoMatch:
                pass

    def job(self) -> Any:
        found = self.kit.rows(
            "select j.* from wedsql.job_pool j where j.flow_id = %s and j.state = 'P'"
            " and (j.not_before is null or j.not_before <= wedsql.now()) order by j.id",
            [self.kit.id],
        )
        return self.draw.choice(found) if found else None

    def taken(self, job: Any) -> list[ClaimedJob]:
        return api.jobs.take_many(self.kit.name, [job.trname], 1, job_ids=[job.id], conn=self.kit.conn)

    def work(self) -> None:
        if job := self.job():
            self.said = f"work {job.trname} {job.wid}"
            with self.kit.step():
                for one in self.taken(job):
                    self.kit.complete(one, self.changes())

    def lease(self) -> None:
        if job := self.job():
            self.said = f"lease {job.trname} {job.wid}"
            conn = self.kit.conn
            self.leases += api.jobs.lease_many(
                self.kit.name, [job.trname], 1, "robot", job_ids=[job.id], conn=conn
            )

    def deliver(self) -> None:
        if self.leases:
            job = self.draw.choice(self.leases)
            self.said = f"deliver {job.transition} {job.wid}"
            self.kit.complete(job, self.changes())

    def fail(self) -> None:
        if job := self.job():
            self.said = f"fail {job.trname} {job.wid}"
            with self.kit.step():
                for one in self.taken(job):
                    api.jobs.fail(one, "no", conn=self.kit.conn)

    def signal(self) -> None:
        """Send a signal to an instance: it has one effect at most, and none where it is refused."""
        found = "select wid from wedsql.{} where flow_id = %s {} order by wid"
        for _ in range(10):
            ready = "and trname = 'tr_0' and state = 'P'"
            if waiting := self.kit.rows(found.format("job_pool", ready), [self.kit.id]):
                break
            self.start()
        if wids := waiting or self.kit.rows(found.format("instance", ""), [self.kit.id]):
            wid, before = self.draw.choice(wids).wid, self.steps()
            self.said = f"signal {wid}"
            sent = api.signals.send(self.kit.name, "tr_0", self.changes(), to=wid, conn=self.kit.conn)
            assert self.steps() == before + (sent.outcome == "delivered"), (self.said, sent)
            self.outcomes.add(sent.outcome)

    def signal_until_delivered(self) -> None:
        """Send signals until one of them is a result; some are refused, as the changes are random."""
        for _ in range(100):
            if "delivered" in self.outcomes:
                return
            with suppress(WedError):
                self.signal()

    def steps(self) -> int:
        """Return how many results of the signal the histories have."""
        found = "select count(*) from wedsql.wed_trace where flow_id = %s and trw = 'tr_0'"
        return int(self.kit.one(found, [self.kit.id]))

    def reap(self) -> None:
        self.minutes += self.draw.choice([1, 5, 90])
        self.said = f"reap at {self.minutes}"
        self.kit.clock(f"{self.minutes} minutes")
        api.maintenance.reap(100, conn=self.kit.conn)

    def decide(self) -> None:
        self.said = "decide"
        self.kit.rows("update wedsql.late_result set look_at = '-infinity' where state = 'kept'")
        api.repairs.decide_late(conn=self.kit.conn)

    def operate(self) -> None:
        found = self.kit.rows("select * from wedsql.instance where flow_id = %s order by wid", [self.kit.id])
        if not found:
            return
        one = self.draw.choice(found)
        operation, arguments = self.operation(one)
        self.said = f"{operation} {one.wid} {arguments}"
        before = self.kit.one("select count(*) from wedsql.wed_trace where wid = %s", [one.wid])
        shown = api.repairs.preview(one.wid, operation, arguments, conn=self.kit.conn)
        after = self.kit.one("select count(*) from wedsql.wed_trace where wid = %s", [one.wid])
        assert before == after, f"the preview of {self.said} changed something"
        try:
            done = api.repairs.repair(one.wid, operation, arguments, "Why.", actor="ana", conn=self.kit.conn)
        except WedError as error:
            assert shown.refusal and shown.refusal.code == error.code, (self.said, shown.refusal, error)
            raise
        assert shown.refusal is None, (self.said, shown.refusal)
        if "instance" not in done.facts:
            assert shown.status_after == done.status, self.said

    def undo(self) -> None:
        """Perform each operation that an instance allows, and undo it: nothing else has changed."""
        for one in self.kit.rows("select * from wedsql.instance where flow_id = %s", [self.kit.id]):
            jobs = [{"job": each.id} for each in self.kit.pending(one.wid)]
            acts = [("patch", {"changes": self.changes()}), ("accept", {}), ("retry", {})]
            acts += [(name, job) for name in ("retry", "skip") for job in jobs]
            self.draw.shuffle(acts)
            for operation, arguments in acts:
                shown = api.repairs.preview(one.wid, operation, arguments, conn=self.kit.conn)
                if shown.refusal is None and one.status in "RE":
                    self.undo_one(one.wid, operation, arguments)

    def undo_one(self, wid: int, operation: str, arguments: dict[str, Any]) -> None:
        self.said = f"{operation} {wid} {arguments}"
        was = self.kit.one(RESTORED, [wid])
        api.repairs.repair(wid, operation, arguments, "Why.", actor="ana", conn=self.kit.conn)
        if self.kit.trace(wid)[-1].trw in ("tr_flip", "tr_set"):
            return  # the database went on after the repair
        api.repairs.repair(wid, "undo", {}, "Why.", actor="ana", conn=self.kit.conn)
        assert self.kit.one(RESTORED, [wid]) == was, f"the undo of {self.said} did not restore it"
        self.undone.add(operation)

    def operation(self, one: Any) -> tuple[str, dict[str, Any]]:
        jobs = self.kit.pending(one.wid)
        kind = self.draw.choice(["whole", "job", "step", "late"])
        if kind == "job" and jobs:
            operation = self.draw.choice(OF_JOB)
            arguments: dict[str, Any] = {"job": self.draw.choice(jobs).id}
            if operation in ("complete", "skip"):
                arguments["changes"] = self.changes()
            return operation, arguments | ({"seconds": 60} if operation == "extend" else {})
        if kind == "step":
            operation, arguments = self.draw.choice(OF_STEP), {"seq": self.draw.randint(1, one.seq)}
            if operation == "replay" and self.draw.random() < 0.5:
                arguments["changes"] = self.changes()
            return operation, arguments
        if kind == "late" and (late := api.repairs.late_results(one.wid, undecided=True, conn=self.kit.conn)):
            return self.draw.choice(["merge_late", "discard_late"]), {"late": late[0].id}
        operation = self.draw.choice(WHOLE)
        return operation, {"changes": self.changes()} if operation == "patch" else {}

    def check(self) -> None:
        assert broken(self.kit) == [], self.said
        now = dict(tuple(row) for row in self.kit.rows(HISTORY, [self.kit.id]))
        for wid, before in self.history.items():
            assert now[wid].startswith(before), f"{self.said} changed the history of {wid}"
        self.history = now


@pytest.mark.parametrize("seed", seeds(3, short=1))
def test_random_operations_keep_the_invariants(kit: Kit, seed: int) -> None:
    player = Player(kit, seed)
    player.define()
    for n in range(60):
        player.act()
        player.check()
        if n % 6 == 5:
            player.fail()
            player.undo()
            player.check()
    if player.waits:
        player.signal_until_delivered()
        player.check()
        assert "delivered" in player.outcomes, "no signal was delivered"
    assert seed not in (0, 2) or {"patch", "accept"} <= player.undone, "too little was undone"
