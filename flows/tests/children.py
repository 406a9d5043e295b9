"""Helpers for tests of child instances: an order that is split into parts."""

from __future__ import annotations

from typing import Any

from flows.tests.kit import SELF, Kit, broken


def split(kit: Kit, **options: Any) -> None:
    given = {
        "child": SELF,
        "child_count": "parts",
        "child_set": ["kind = 'part'", "part = child_number"],
        "child_result": ["joined = 'yes'", "done = children_done", "failed = children_failed"],
    }
    kit.trig("split", "kind = 'order' and joined is null", **given | options)


def go(kit: Kit, offset: str | None = None) -> int:
    """Go on with children until nothing is due; return in how many rounds.

    What waits for its children, or for their end, violates no invariant: not before, and not afterwards.
    """
    if offset:
        kit.clock(offset)
    assert broken(kit) == []
    for rounds in range(200):
        if kit.one("select wedsql.continue_children()") is None:
            assert broken(kit) == []
            return rounds
    raise AssertionError("children never come to an end")


def children(kit: Kit, wid: int) -> list[int]:
    found = kit.rows("select wid from wedsql.child where parent_wid = %s order by job_id, number", [wid])
    return [row.wid for row in found]


def order(kit: Kit, parts: int = 2) -> int:
    wid = kit.start(kind="order", parts=parts)
    go(kit)
    return wid


def statuses(kit: Kit, wid: int) -> str:
    return "".join(kit.status(each) for each in children(kit, wid))


def excepted(kit: Kit, wid: int) -> None:
    kit.rows("update {f}.wed_trig set max_attempts = 1 where trname = 'pack'")
    kit.fail("pack", wid)
    assert kit.status(wid) == "E"


def nested(kit: Kit) -> tuple[int, list[int]]:
    """Return an order, and its child, grandchild and great-grandchild."""
    split(kit, child_count=None, child_set=["kind = case when parts > 0 then 'order' else 'part' end",
                                            "parts = parts - 1"])  # fmt: skip
    wid = order(kit, 2)
    found = kit.rows("select wid from wedsql.child where root_wid = %s order by depth", [wid])
    return wid, [row.wid for row in found]
