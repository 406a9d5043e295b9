"""What publishing would do to the instances of a flow."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counted:
    """A number of instances, and the numbers of up to 20 of them."""

    count: int
    sample: list[int]


@dataclass(frozen=True, slots=True)
class RuleImpact:
    """What publishing changes for one trigger: its number, and its place in the new definition.

    `tgid` is None for a new trigger, `trigger` for one that is removed. Of the groups the first four are all
    instances by whether its condition holds before and after; `loses_condition` have a pending job of it and
    the condition no longer holds; the jobs of `withdrawn` go; `violates` violate the integrity condition;
    `follows` have a pending job that gets the new name, timeout, priority or lock of its trigger, or whose
    task gets other persons or another deadline.
    """

    tgid: int | None
    trigger: int | None
    both: Counted
    only_before: Counted
    only_after: Counted
    neither: Counted
    fires: Counted
    loses_condition: Counted
    withdrawn: Counted
    fails: Counted
    violates: Counted
    follows: Counted


@dataclass(frozen=True, slots=True)
class Impact:
    """What publishing would do to living instances; counts are of those that were examined.

    `no_longer_final` are final instances whose final condition no longer holds; they are counted if
    `finals_examined`. `refused`: a condition with on_error = abort fails on them, so publishing is refused.
    `stops_readers`: publishing locks the flow's table also against readers, because attributes change.
    """

    living: int
    examined: int
    exact: bool
    rules: list[RuleImpact]
    fired: dict[str, int]
    settled: int
    left_exception: Counted
    new_exception: Counted
    final: Counted
    reopened: Counted
    no_longer_final: Counted
    refused: Counted
    finals_examined: bool
    stops_readers: bool
    at: str
    seconds: float
    estimated_seconds: float
