"""F6, the conditions: one of fifty fails on a value that it cannot cast, in every commit."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import psycopg

from chaos.busy_client import work
from chaos.client import Client
from chaos.fifty import BAD, FLOW, HEALTHY, SOUND
from chaos.run import Row, Run
from chaos.system import System
from flows import api
from flows.errors import WedError

Connection = psycopg.Connection[Any]
PAIRS, LEAST_PAIRS = 160, 40
QUIET = 0.04  # noise that is small enough to detect a loss of a tenth
WINDOW = 0.5  # seconds: the speed of a shared machine changes within a few of them
A_SECOND, CLIENTS = 10, 3  # instances beside the healthy flow, and the number of their clients
MAX_LOSS = 0.1
_FIRED = """
    select w.word, cardinality(t.fired), count(*), count(*) filter (where i.status = 'F')
    from wedsql.wed_trace t join wedsql.instance i on i.wid = t.wid join fifty.wed_flow w on w.wid = t.wid
    where t.trw = '_INIT' group by 1, 2
"""


def compare(run: Run, row: Row, system: System) -> None:
    """Compare the healthy flow's speed beside instances with and without a failing condition.

    Both windows of a pair have the same load and are adjacent, so that other changes affect both alike.
    """
    fifties = [Fifties(system) for _ in range(CLIENTS)]
    with ExitStack() as stack:
        conn = stack.enter_context(system.connect("web"))
        for client in fifties:
            stack.enter_context(client)
        pairs = [_pair(fifties, conn, number) for number in range(LEAST_PAIRS)]
        while len(pairs) < run.number(PAIRS) and _kept(pairs)[1] > QUIET:
            pairs.append(_pair(fifties, conn, len(pairs)))
    for refusal in {client.refusal for client in fifties} - {""}:
        row.fail(f"an instance with a failing condition was refused: {refusal}")
    middle, noise = _kept(pairs)
    pace = statistics.median(sound for sound, _ in pairs) / WINDOW
    row.notes.append(
        f"beside a failing condition {middle:.3f} of the pace is kept (noise {noise:.3f},"
        f" median of {len(pairs)} pairs of windows); {pace:.0f} steps a second without it"
    )
    if middle + noise < 1 - MAX_LOSS:
        row.fail(f"the failing condition costs others {1 - middle:.0%} of their pace")
    own = _check(row, system)
    if own < 1 - MAX_LOSS:
        row.fail(f"instances with a failing condition come at {own:.2f} of the pace of others")


def _kept(pairs: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Return the share of the speed that is kept, as the median of all pairs, and two standard errors."""
    low, middle, high = statistics.quantiles([bad / max(sound, 1) for sound, bad in pairs], n=4)
    return middle, 2 * 0.93 * (high - low) / len(pairs) ** 0.5


def _pair(fifties: Sequence[Fifties], conn: Connection, number: int) -> tuple[int, int]:
    """Return the healthy flow's steps in a window without and in one with the failing condition."""
    steps = {}
    for word in (SOUND, BAD) if number % 2 else (BAD, SOUND):
        for client in fifties:
            client.word = word
        steps[word] = work(conn, WINDOW)
    return steps[SOUND], steps[BAD]


def _check(row: Row, system: System) -> float:
    """Check that every instance fired all other triggers and ended, and that the error is reported.

    Returns the number of instances with a failing condition per instance without.
    """
    count = {SOUND: 0, BAD: 0}
    for word, fired, found, ended in system.rows(_FIRED):
        row.notes.append(f"word {word!r}: {found} instances fired {fired} of {HEALTHY}, {ended} ended")
        count[word] += found
        if fired != HEALTHY or ended != found:
            row.fail(f"beside a failing condition {fired} of {HEALTHY} fired, {found - ended} did not end")
    errors = system.rows("select sqlstate, count(*) from wedsql.condition_error group by 1")
    if ("22P02", 1) not in errors:
        row.fail(f"the failing condition is not reported: {errors}")
    return count[BAD] / max(count[SOUND], 1)


class Fifties(Client):
    """A client that starts instances of the flow of fifty with `word`, and brings each to its end."""

    def __init__(self, system: System) -> None:
        super().__init__("fifties")
        self.system = system
        self.word = SOUND
        self.refusal = ""

    def act(self) -> None:
        """Start instances until it is stopped or one is rejected."""
        try:
            self._start_all()
        except (psycopg.Error, WedError) as error:
            self.refusal = str(error)
            self.ended.set()

    def _start_all(self) -> None:
        due = time.monotonic()
        with self.system.connect("web") as conn:
            while not self.ended.wait(max(0.0, due - time.monotonic())):
                due += CLIENTS / A_SECOND
                wid = api.instances.start(FLOW, {"word": self.word}, conn=conn)
                fired = conn.execute("select min(id) from wedsql.job_pool where wid = %s", (wid,)).fetchone()
                with conn.transaction():
                    for job in api.jobs.take_many(FLOW, ["tr_fine"], 1, job_ids=fired, conn=conn):
                        api.jobs.complete(job, {"n": 99}, conn=conn)
