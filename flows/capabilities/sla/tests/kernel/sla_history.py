"""Clocks of an SLA by the history of an instance, computed the slow way, to compare with the kernel."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from flows.capabilities.sla.api import Sla
from flows.tests.kit import Kit

Spans = list[tuple[datetime, datetime]]


def worked(spans: Spans, low: datetime, high: datetime) -> timedelta:
    return sum((max(timedelta(), min(high, b) - max(low, a)) for a, b in spans), timedelta())


def after(spans: Spans, low: datetime, time: timedelta) -> datetime:
    if time <= timedelta():
        return low
    for a, b in spans:
        free = max(timedelta(), b - max(a, low))
        if free >= time:
            return max(a, low) + time
        time -= free
    raise AssertionError("the spans are too short")


def after_step(step: Any, is_on: bool) -> str | None:
    """Return the state of the clock after a step."""
    done = step.state["a"] == "done"
    if not is_on and (step.state["a"] != "open" or step.status in "FAC"):
        return None
    if step.status in "AC":
        return "cancelled"
    if done or step.status == "F":
        return "met"
    return "paused" if (step.state["n"] or 0) > 5 or step.status == "S" else "running"


def plain(kit: Kit, wid: int, sla: Sla, spans: Spans) -> list[dict[str, Any]]:
    """Return the clocks of an instance by its history, the slow way."""
    found: list[dict[str, Any]] = []
    at = datetime.min.replace(tzinfo=UTC)
    for step in kit.trace(wid):
        now = found[-1] if found and found[-1]["stopped"] is None else None
        state = after_step(step, now is not None)
        if state is None or (now and state == now["state"]):
            continue
        since, at = at, max(at, step.tstmp)
        if now is None:
            now = {"seq": step.seq, "started": at, "used": timedelta(), "breached": None}
            found.append(now)
        elif now["state"] == "running":
            due = after(spans, since, timedelta(seconds=sla.duration) - now["used"])
            if at > due and now["breached"] is None:
                now["breached"] = due
            now["used"] += worked(spans, since, at)
        ended = state in ("met", "cancelled")
        now["state"] = "breached" if ended and now["breached"] else state
        now["stopped"] = at if ended else None
    return found
