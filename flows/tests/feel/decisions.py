"""Random flows and states, and whether each way of making a step does what `wedsql._decision` says.

The clock stands still (`FROZEN`), so that times are compared exactly.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from flows import api
from flows.errors import WedError
from flows.tests.model import predicates
from flows.types import ClaimedJob

Json = dict[str, Any]
FLOW = "decided"
FROZEN = """
create or replace function wedsql.now() returns timestamptz language sql volatile parallel safe as $$
select pg_catalog.current_setting('wedsql.test_now')::pg_catalog.timestamptz $$
"""
NAMES = ("a", "b", "c")
ATTRIBUTES = [{"name": name, "type": "integer", "default": "0"} for name in NAMES] + [
    {"name": "d", "type": "timestamptz"}
]
_ATOMS = ["= 0", "= 1", "= 2", "< 2", "> 0", "<> 1"]
_OPTIONS: dict[str, list[Any]] = {
    "revalidate": ["withdraw"],
    "due_after": ["2 minutes"],
    "due_attr": ["d"],
    "fire_once": [True],
    "refresh_payload": [True],
}
_LATER = [0, 0, 1, 3]  # minutes between two steps

# What a step starts from and must lead to, without the jobs of people and of the kernel.
_DECIDE = """
with f as (
  select f.*, array(select t from wedsql.trig t
                    where t.flow_id = f.id and t.enabled and t.integrity is null order by t.tgid) as rules
  from wedsql.flow f where f.name = %(flow)s),
d as (
  select d.* from f
  cross join lateral wedsql._situation_of(%(wid)s, %(state)s, %(matched)s, f.rules, wedsql.now()) s
  left join wedsql.instance i on i.wid = %(wid)s
  cross join lateral wedsql._decision(f.rules, f.final_tgid, row(
    %(wid)s = 0, %(state)s, %(matched)s, %(failed)s,
    array(select j.tgid from wedsql.job_pool j where j.wid = %(wid)s and j.tgid > 0 and j.id <> %(job)s),
    array(select j.tgid from wedsql.job_pool j where j.wid = %(wid)s and j.state = 'K' and j.id <> %(job)s),
    i.reason, s.timers, s.fired, s.skipped, %(violated)s, f.final_when_pending, s.at)::wedsql.situation) d)
select d.status::text, d.reason, d.fires as fired, d.suppressed, d.timers,
       array(select j.tgid from wedsql.job_pool j where j.wid = %(wid)s and j.tgid > 0 and j.id <> %(job)s
               and j.tgid <> all (d.withdrawn) union select unnest(d.fires) order by 1) as jobs,
       true as recorded
from d
"""
_MADE = f"""
select i.status::text, i.reason, h.fired, h.suppressed,
       (select coalesce(jsonb_object_agg(x.tgid, x.due_at), '{{}}') from wedsql.timer x
        where x.wid = i.wid) as timers,
       array(select j.tgid from wedsql.job_pool j where j.wid = i.wid and j.tgid > 0 order by 1) as jobs,
       h.state = (select to_jsonb(w.*) - 'wid' from {FLOW}.wed_flow w where w.wid = i.wid) as recorded
from wedsql.instance i join wedsql.wed_trace h on (h.wid, h.seq) = (i.wid, i.seq) where i.wid = %s
"""
_JOBS = """
select id, wid, trname from wedsql.job_pool
where tgid > 0 and state = 'P' and coalesce(not_before <= wedsql.now(), true) order by wid, tgid
"""
_STATES = f"select wid, to_jsonb(w.*) - 'wid' as state from {FLOW}.wed_flow w"
_SINGLE = f"select seq from {FLOW}._single(%s, %s, null, %s, 'x')"
_COMMIT = f"select seq from {FLOW}._commit(%s, %s, array[null]::bigint[], %s, 'x')"


def definition(draw: random.Random, plain: bool) -> Json:
    """Return a random definition; a plain one has the paper's options only."""
    rules = [_rule(draw, number, plain) for number in range(draw.randint(2, 4))]
    if draw.random() < 0.75:
        times = (
            {}
            if plain or draw.random() < 0.7
            else draw.choice([{"due_after": "2 minutes"}, {"due_attr": "d"}])
        )
        rules.append({"condition": "end", "predicate": _predicate(draw), "final": True} | times)
    if draw.random() < 0.25:
        kind = draw.choice(["always", "final"])
        rules.append({"condition": "sound", "predicate": draw.choice(["c < 2", "a > 0"]), "integrity": kind})
    return {
        "final_when_pending": draw.choice(["reject", "defer", "cancel"]),
        "attributes": ATTRIBUTES,
        "triggers": rules,
    }


def _rule(draw: random.Random, number: int, plain: bool) -> Json:
    rule: Json = {"transition": f"tr_{number}", "condition": f"c{number}", "predicate": _predicate(draw)}
    for name in [] if plain else draw.sample(sorted(_OPTIONS), draw.randint(0, 2)):
        rule[name] = draw.choice(_OPTIONS[name])
    return rule | {
        "on_error": draw.choice(["exception", "abort", "false"]),
        "max_attempts": draw.randint(1, 3),
    }


def _predicate(draw: random.Random) -> str:
    atoms = [f"{draw.choice(NAMES)} {draw.choice(_ATOMS)}" for _ in range(2)] + ["d is not null"]
    if draw.random() < 0.1:
        return f"(1 / c = 1) and {draw.choice(atoms)}"
    return f" {draw.choice(['and', 'or'])} ".join(draw.sample(atoms, draw.choice([1, 1, 2])))


class Differences(AssertionError):
    """A way of making a step did something else than was decided."""


class Experiment:
    """A flow of one random definition, its instances, and how often each way was compared."""

    def __init__(self, conn: psycopg.Connection[Any], seed: int) -> None:
        self.draw = random.Random(seed)  # noqa: S311 - the same run each time
        self.conn = conn
        self.compared: Counter[str] = Counter()
        self.now = datetime.now(UTC).replace(microsecond=0) + timedelta(days=14)
        self.definition = definition(self.draw, plain=seed % 2 == 0)
        self._pass(0)

    def publish(self) -> bool:
        """Publish the definition; return whether it is one that the kernel accepts."""
        self.conn.execute("select wedsql.drop_flow(name, true) from wedsql.flow where name = %s", [FLOW])
        api.flows.create(FLOW, conn=self.conn)
        try:
            api.flows.publish(FLOW, self.definition, conn=self.conn)
        except WedError:
            return False
        rules = api.drafts.running_definition(FLOW, conn=self.conn)[1]["triggers"]
        self.numbers = {rule["condition"]: rule["id"] for rule in rules}
        return True

    def run(self, starts: int = 4, steps: int = 12) -> None:
        """Start instances and make steps, each compared; raise Differences at the first."""
        for _ in range(starts):
            self._start(self._changes())
        for _ in range(steps):
            self._pass(self.draw.choice(_LATER))
            jobs = self._rows(_JOBS)
            if jobs:
                job = self.draw.choice(jobs)
                if self.draw.random() < 0.1:
                    self._fail(job)
                else:
                    self._step(job, self._changes())

    def _start(self, changes: Json) -> None:
        state = dict.fromkeys(NAMES, 0) | {"d": None} | changes
        expected = self._decided(0, 0, state)
        wid: list[int] = []
        with self._observed(expected, "start", changes):
            wid.append(api.instances.start(FLOW, changes, conn=self.conn))
            self._compare(expected, self._made(wid[0]), "start", changes)

    def _step(self, job: Json, changes: Json) -> None:
        state = {row["wid"]: row["state"] for row in self._rows(_STATES)}[job["wid"]]
        expected = self._decided(job["wid"], job["id"], state | changes)
        given = (job["wid"], job["id"], Jsonb(changes))
        with self.conn.transaction(force_rollback=True):
            self._take(job)
            self.conn.execute("set local role wed_owner")
            if self._rows(_SINGLE, given)[0]["seq"] is not None:
                self._compare(expected, self._made(job["wid"]), "fast", changes)
        with self._observed(expected, "general", changes), self.conn.transaction():
            self._take(job)
            self._rows(_COMMIT, tuple([each] for each in given))
            self._compare(expected, self._made(job["wid"]), "general", changes)

    def _take(self, job: Json) -> ClaimedJob:
        (taken,) = api.jobs.take_many(FLOW, [job["trname"]], 1, job_ids=[job["id"]], conn=self.conn)
        return taken

    def _fail(self, job: Json) -> None:
        with self.conn.transaction():
            api.jobs.fail(self._take(job), "no", conn=self.conn)

    # -- what is expected and what was made
    def _decided(self, wid: int, job: int, state: Json) -> Json | str:
        """Return the decision as `_made` has it, or the SQLSTATE of a rejection."""
        held, failed, violated = self._conditions(state)
        given = {"flow": FLOW, "wid": wid, "job": job, "state": Jsonb(state), "matched": held}
        given |= {"failed": bool(failed), "violated": [self.numbers[one["condition"]] for one in violated]}
        found = self._rows(_DECIDE, given)[0]
        if any(one.get("on_error") == "abort" for one in failed):
            return "WD106"
        if any(one["integrity"] == "always" for one in violated):
            return "WD530"
        if wid == 0 and found["reason"] == "INTEGRITY":
            return "WD530"
        if found["status"] == "?" and failed:
            return "WD106"
        return {"!": "WD103", "?": "WD101"}.get(found["status"], found)

    def _conditions(self, state: Json) -> tuple[list[int], list[Json], list[Json]]:
        """Return the rules that hold, those that fail, and the integrity conditions that are violated."""
        held, failed, violated = [], [], []
        for rule in self.definition["triggers"]:
            fails = predicates.fails(rule["predicate"], state)
            holds = not fails and predicates.holds(rule["predicate"], state)
            if "integrity" in rule:
                violated += [] if holds else [rule]
            elif fails:
                failed.append(rule)
            elif holds:
                held.append(self.numbers[rule["condition"]])
        return sorted(held), failed, violated

    def _made(self, wid: int) -> Json:
        return self._rows(_MADE, [wid])[0]

    def _compare(self, expected: Json | str, made: Json | str, way: str, changes: Json) -> None:
        self.compared[way] += 1
        if made != expected:
            raise Differences(f"{way} {changes}: {made} instead of {expected}\n{self.definition}")

    @contextmanager
    def _observed(self, expected: Json | str, way: str, changes: Json) -> Iterator[None]:
        """Take the SQLSTATE of a rejection for what was made."""
        try:
            yield
        except (WedError, psycopg.Error) as error:
            code = error.code if isinstance(error, WedError) else error.sqlstate
            self._compare(expected, code or "", way, changes)

    # -- the database
    def _rows(self, text: str, given: Any = ()) -> list[Json]:
        with self.conn.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(text, given).fetchall()

    def _pass(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes, seconds=1)
        self.conn.execute("select set_config('wedsql.test_now', %s, false)", [self.now.isoformat()])
        if minutes:
            self.conn.execute("select wedsql.reap()")

    def _changes(self) -> Json:
        drawn: Json = {name: self.draw.randint(0, 2) for name in self.draw.sample(NAMES, 2)}
        if self.draw.random() < 0.4:
            minutes = self.draw.choice([None, -5, 2, 10])
            moment = None if minutes is None else self.now + timedelta(minutes=minutes)
            drawn["d"] = moment and moment.isoformat()
        return drawn
