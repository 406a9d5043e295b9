"""Two installations, messages that are lost, repeated, reordered and late, and processes that are killed."""

from __future__ import annotations

import multiprocessing
import random
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psycopg
import pytest

from flows import api, errors
from flows.capabilities.moves.tests.kernel.sites import LIVING, Site
from flows.tests.spread import seeds
from testkit.waiting import until

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
ROUNDS = 60
KILLED, LATEST = 0.2, 0.02  # of the calls so many; at most so many seconds after the process has a connection
FORK = multiprocessing.get_context("fork")
Work = Callable[["psycopg.Connection[Any]"], object]
LOOP = {
    "attributes": [
        {"name": "number", "business_key": True},
        {"name": "turn", "type": "integer", "default": "0"},
    ],
    "triggers": [
        {"transition": "work", "predicate": "turn >= 0", "max_firings": 100000},
        {"final": True, "predicate": "turn = -1"},
    ],
}


class Net:
    """Messages on their way; each may be lost, come twice or late, in any order."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.on_their_way: list[tuple[Site, Site, bytes]] = []

    def send(self, sender: Site, receiver: Site, message: bytes | None) -> None:
        for _ in range(self.chance.choice((0, 1, 1, 1, 2))):
            if message:
                self.on_their_way.append((sender, receiver, message))

    def deliver(self) -> None:
        if not self.on_their_way:
            return
        place = self.chance.randrange(len(self.on_their_way))
        sender, receiver, message = self.on_their_way[place]
        if self.chance.random() < 0.8:  # else it comes again
            del self.on_their_way[place]
        if self.chance.random() < KILLED:
            killed(receiver, self.chance, lambda conn: api.moves.receive(message, conn=conn))
        else:
            self.send(receiver, sender, receiver.receive(message))


def killed(site: Site, chance: random.Random, work: Work) -> None:
    """Do something in a process that is killed at any moment: it may have been done or not."""
    mine, theirs = FORK.Pipe()
    process = FORK.Process(target=_perform, args=(site.uri, work, theirs))
    process.start()
    pid = mine.recv()
    time.sleep(chance.random() * LATEST)
    process.kill()
    process.join()
    there = "select 1 from pg_stat_activity where pid = %s"
    until(lambda: not site.one(there, [pid]), what="the server goes on for a process that was killed")


def taking_back(move: str) -> Work:
    return lambda conn: api.moves.take_back(move, "again", conn=conn)


def _perform(uri: str, work: Work, ready: Any) -> None:
    with psycopg.connect(uri, autocommit=True) as conn:
        ready.send(conn.info.backend_pid)
        with suppress(errors.WedError):  # as where it is not killed
            work(conn)


class Pair:
    """One instance, wherever it is, and what was done with it."""

    def __init__(self, here: Site, there: Site, chance: random.Random) -> None:
        self.sites, self.chance, self.net = (here, there), chance, Net(chance)
        self.wids = {here.name: here.start()}
        self.done: list[str] = []
        self.counters = {here.name: 0, there.name: 0}

    def running(self) -> list[Site]:
        return [
            s
            for s in self.sites
            if s.one("select 1 from wedsql.instance where status = any(%s)", [list(LIVING)])
        ]

    def other(self, site: Site) -> Site:
        return self.sites[1 - self.sites.index(site)]

    def wid(self, site: Site) -> int:
        return int(site.one("select wid from wedsql.instance"))

    def act(self) -> None:
        site = self.chance.choice(self.sites)
        getattr(
            self, self.chance.choice(("work", "hand_over", "send", "send", "take_back", "deliver", "deliver"))
        )(site)

    def either(self, site: Site, work: Work) -> None:
        """Do something, or try to in a process that is killed."""
        if self.chance.random() < KILLED:
            killed(site, self.chance, work)
        else:
            work(site.conn)

    def work(self, site: Site) -> None:
        if site in self.running():
            wid, turn = self.wid(site), len(self.done) + 1
            self.either(site, lambda conn: site.on(conn).step("work", wid, turn=turn))
            if site.state(wid)["turn"] == turn:
                self.done.append(site.name)

    def hand_over(self, site: Site) -> None:
        if site in self.running():
            wid, other = self.wid(site), self.other(site)
            self.either(site, lambda conn: site.on(conn).hand_over(wid, other))

    def send(self, site: Site) -> None:
        for move in api.moves.list(
            direction="sent", states=["offered", "released", "taken_back"], conn=site.conn
        ):
            if self.chance.random() < 0.5:
                self.net.send(site, self.other(site), api.moves.message(move.id, conn=site.conn))

    def take_back(self, site: Site) -> None:
        for move in api.moves.list(direction="sent", states=["offered", "released"], conn=site.conn):
            try:
                self.either(site, taking_back(move.id))
            except errors.MoveNotOpen:
                assert move.state == "released"

    def deliver(self, _site: Site) -> None:
        self.net.deliver()

    def check(self) -> None:
        assert len(self.running()) <= 1
        for site in self.sites:
            counter = site.one("select max(counter) from wedsql.moved") or 0
            assert counter >= self.counters[site.name]
            self.counters[site.name] = counter
            assert (site.one("select count(*) from wedsql.instance")) <= 1

    def settle(self) -> Site:
        """Have every message arrive, until the instance runs."""
        self.net.on_their_way.clear()
        for _ in range(8):
            for site in self.sites:
                for move in api.moves.list(direction="sent", states=["offered", "released"], conn=site.conn):
                    answer = self.other(site).receive(site.message(move.id))
                    assert answer
                    site.receive(answer)
        (site,) = self.running()
        return site


@pytest.mark.parametrize("seed", seeds(60, 4))
def test_no_step_is_lost_and_never_two_run_it(pair: tuple[Site, Site], seed: int) -> None:
    here, there = pair
    for site in pair:
        site.publish(LOOP)
    both = Pair(here, there, random.Random(seed))  # noqa: S311
    for _ in range(ROUNDS):
        both.act()
        both.check()
    last = both.settle()
    wid = both.wid(last)
    steps = last.trace(wid)
    assert [step.actor for step in steps if step.trw == "work"] == [f"worker of {name}" for name in both.done]
    assert [step.seq for step in steps] == list(range(1, len(steps) + 1))
    assert last.state(wid)["turn"] == len(both.done)
    other = both.other(last)
    if other.one("select count(*) from wedsql.instance"):
        known = other.trace(both.wid(other))
        assert [(s.trw, s.tstmp, s.state) for s in known] == [
            (s.trw, s.tstmp, s.state) for s in steps[: len(known)]
        ]
    assert here.broken() == [] and there.broken() == []
