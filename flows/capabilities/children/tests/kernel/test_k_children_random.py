"""Random operations on trees of instances: each end is counted once, and no job leaves children behind."""

from __future__ import annotations

import random
from typing import Any

import pytest

from flows import api
from flows.errors import WedError
from flows.tests.children import order, split
from flows.tests.kit import Kit, broken
from flows.tests.spread import seeds
from testkit.api_functions import functions as api_functions

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="the operations are of no mode")]

# A job that waits for its children has none that should have been counted.
LOST = """
    select c.parent_wid, c.wid, c.state, i.status from wedsql.child c join wedsql.instance i using (wid)
    where (i.status in ('F', 'C', 'A')) <> (c.state = 'C')"""
WRONG = """
    select g.* from wedsql.child_job g cross join lateral (
      select count(*) filter (where c.state in ('C', 'X')) as counted, count(*) as started
      from wedsql.child c where c.parent_wid = g.parent_wid and c.job_id = g.job_id) n
    where g.started <> n.started or g.done + g.failed <> n.counted or g.started > coalesce(g.total, 0)"""
# The job is over, and its open children should have been ended with it.
LEFT = """
    select c.wid from wedsql.child c join wedsql.child_job g using (parent_wid, job_id)
    join wedsql.instance i using (wid)
    where g.rest is not null and i.status not in ('F', 'C', 'A')"""


class Player:
    """Performs one random act after the other on an order and everything below it."""

    def __init__(self, kit: Kit, seed: int) -> None:
        self.kit = kit
        self.draw = random.Random(seed)  # noqa: S311 - the same run each time
        self.minutes = 0

    def define(self) -> None:
        nested = "kind = case when parts > 1 then 'order' else 'part' end"
        split(
            self.kit,
            child_set=[nested, "parts = parts - 1", "part = child_number"],
            child_wait=self.draw.choice([None, None, "1", "children / 2"]),
            child_rest=self.draw.choice(["leave", "cancel"]),
            child_exception=self.draw.choice(["wait", "fail"]),
            child_result=["joined = 'yes'", "done = children_done", "failed = children_failed"],
        )
        self.kit.rows("update {f}.wed_trig set max_attempts = 1 where trname = 'pack'")
        order(self.kit, self.draw.choice([1, 2, 3]))

    def one(self, *statuses: str) -> int | None:
        found = self.kit.rows(
            "select wid from wedsql.instance where flow_id = %s and status = any (%s) order by wid",
            (self.kit.id, list(statuses)),
        )
        return self.draw.choice(found).wid if found else None

    def act(self) -> None:
        acts: list[Any] = [
            self.pack,
            self.pack,
            self.pack,
            self.fail,
            self.repair,
            self.more,
            self.go,
            self.go,
        ]
        try:
            self.draw.choice([*acts, self.operate])()
        except WedError as error:
            assert error.code.startswith("WD"), error

    def pack(self) -> None:
        for job in api.jobs.lease_many(self.kit.name, ["pack"], 1, "robot", conn=self.kit.conn):
            api.jobs.complete(job, {"packed": "x"}, conn=self.kit.conn)

    def fail(self) -> None:
        for job in api.jobs.lease_many(self.kit.name, ["pack"], 1, "robot", conn=self.kit.conn):
            api.jobs.fail(job, "no", conn=self.kit.conn)

    def repair(self) -> None:
        if wid := self.one("E"):
            api.repairs.repair(wid, "patch", {"changes": {"packed": "x"}}, "By hand.", conn=self.kit.conn)

    def more(self) -> None:
        jobs = self.kit.rows(
            "select wid, id from wedsql.job_pool where flow_id = %s and trname = 'split' order by id",
            [self.kit.id],
        )
        if jobs:
            job = self.draw.choice(jobs)
            api.children.add(job.wid, job.id, 1, conn=self.kit.conn)

    def operate(self) -> None:
        what = self.draw.choice(["suspend", "resume", "resume", "cancel", "abort"])
        if wid := self.one("R", "E", "S"):
            api_functions()[what](wid, "At random.", conn=self.kit.conn)

    def go(self) -> None:
        self.minutes += 1
        self.kit.clock(f"{self.minutes} minutes")
        for _ in range(self.draw.randint(1, 8)):
            api.children.continue_children(self.draw.choice([1, 500]), conn=self.kit.conn)

    def settle(self) -> None:
        for _ in range(20):
            self.minutes += 10
            self.kit.clock(f"{self.minutes} minutes")
            for _ in range(200):
                if api.children.continue_children(conn=self.kit.conn) is None:
                    break


@pytest.mark.parametrize("seed", seeds(6, short=2))
def test_whatever_happens_in_a_tree_each_end_is_counted_once(tree: Kit, seed: int) -> None:
    player = Player(tree, seed)
    player.define()
    for _ in range(40):
        player.act()
    player.settle()
    assert (tree.rows(LOST), tree.rows(WRONG), tree.rows(LEFT), broken(tree)) == ([], [], [], []), seed
