"""What holds on random flows: undone steps leave no effect, and an instance that went back ends as others."""

from __future__ import annotations

import random

import pytest

from flows import api
from flows.tests.kit import Kit, broken
from flows.tests.spread import seeds

pytestmark = pytest.mark.kernel


def drawn(kit: Kit, draw: random.Random) -> list[str]:
    """Define a random flow over a ledger: each transition adds to `total`, a compensation takes that away."""
    names = [f"t{n}" for n in range(draw.randint(2, 5))]
    kit.attrs(*names)
    kit.attr("total", "0", "integer")
    for n, name in enumerate(names):
        needs = draw.sample(names[:n], draw.randint(0, min(n, 2)))
        condition = " and ".join([f"{name} is null", *(f"{other} is not null" for other in needs)])
        how = draw.choice(["transition", "inverse", "none"])
        replay = draw.choice(["call", "reuse"])
        kit.trig(f"tr_{name}", condition, compensation=how, compensated_by=f"un_{name}", replay=replay)
    kit.final(" and ".join(f"{name} is not null" for name in names))
    return names


def advance(kit: Kit, draw: random.Random, wid: int, ledger: dict[str, int], most: int = 99) -> None:
    """Perform up to so many jobs of the instance in random order; each effect is noted in the ledger."""
    while most and (pending := kit.pending(wid)):
        most -= 1
        name = draw.choice(pending).trname
        own = name.removeprefix("tr_").removeprefix("un_")
        with kit.step():
            job = kit.take(name, wid)
            if draw.random() < 0.2:
                api.jobs.fail(job, "Later.", conn=kit.conn)
                continue
            if name.startswith("un_"):
                kit.complete(job, {})
                ledger[own] -= job.payload["total"]
            else:
                total = job.state["total"] + draw.randint(1, 9)
                kit.complete(job, {own: "1", "total": total})
                if kit.one("select compensation = 'transition' from wedsql.trig where tgid = %s", [job.tgid]):
                    ledger[own] += total
        kit.rows("update wedsql.job_pool set not_before = null where wid = %s", [wid])


def undo(
    kit: Kit, draw: random.Random, wid: int, ledger: dict[str, int], operation: str, seq: int = 1
) -> None:
    """Undo steps of an instance, and perform the compensations."""
    api.repairs.repair(wid, operation, {} if operation == "abort" else {"seq": seq}, "No.", conn=kit.conn)
    while kit.status(wid) == "X":
        assert broken(kit) == []
        advance(kit, draw, wid, ledger, 1)


@pytest.mark.mode("single", reason="many random steps")
@pytest.mark.parametrize("seed", seeds(4, short=2))
def test_random_flows_leave_no_effect_and_reach_the_same_end(kit: Kit, seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311
    kit.policy(max_firings=50)
    names = drawn(kit, draw)
    kit.rows("update {f}.wed_trig set backoff = '0', max_attempts = 99")
    undisturbed = kit.start()
    advance(kit, draw, undisturbed, dict.fromkeys(names, 0))
    for operation in ("rollback", "abort", "replay"):
        wid, ledger = kit.start(), dict.fromkeys(names, 0)
        advance(kit, draw, wid, ledger, draw.randint(1, len(names)))
        if kit.status(wid) != "R":
            continue
        history = kit.trace(wid)
        target = draw.randint(1, len(history))
        undo(kit, draw, wid, ledger, operation, target)
        assert kit.trace(wid)[: len(history)] == history
        if operation == "replay":
            advance(kit, draw, wid, ledger, draw.randint(0, 2))
            operation = "abort" if kit.status(wid) == "R" else "end"
            if operation == "abort":
                undo(kit, draw, wid, ledger, operation)
        if operation == "abort":
            assert (kit.status(wid), {*ledger.values()}) == ("A", {0})
        elif operation == "rollback":
            kept = kit.state(wid)
            assert kept == history[target - 1].state
            assert all(bool(ledger[name]) <= (kept[name] is not None) for name in names)
            advance(kit, draw, wid, ledger)
            assert kit.status(wid) == kit.status(undisturbed) == "F"
        assert broken(kit) == []
