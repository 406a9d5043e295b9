"""Which transitions of which flows this process can perform, and how it takes their jobs."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from workers.client.statement import Statement
from workers.client.wire import Wire
from workers.registry import Entry, Registry

# A lease is short and renewed (workers.jobs.leases), so its job is offered soon when a machine dies.
LEASE = 60.0
# Transitions with a timeout above this are leased unless their trigger or handler sets the mode.
_LONG = 60.0
_KNOWN = Statement(
    "wed_known",
    "select f.name, t.trname, bool_or(t.mode = 'lease'), bool_or(t.mode = 'transaction'),"
    " min(extract(epoch from t.timeout))::float8"
    " from wedsql.flow f join (select flow_id, trname, mode, timeout from wedsql.trig"
    " where not cfinal and integrity is null and not signal and child is null and performer = 'worker'"
    " union all select flow_id, compensated_by, mode, timeout from wedsql.trig"
    " where not cfinal and integrity is null and compensation = 'transition') t on t.flow_id = f.id"
    " where t.trname is not null and wedsql.may_work(f.name, t.trname) group by f.name, t.trname",
)


@dataclass(frozen=True, slots=True)
class Known:
    """A transition of a flow, with mode and timeout of its triggers or of those that it compensates."""

    flow: str
    transition: str
    lease: bool = False
    transaction: bool = False
    timeout: float | None = None

    def span(self, mode: str) -> float | None:
        """Return the seconds of a lease on its jobs; None: they are taken in a transaction."""
        long = self.timeout is not None and self.timeout > _LONG and not self.transaction
        leased = (self.lease or long) if mode == "auto" else mode == "lease"
        return min(LEASE, self.timeout or LEASE) if leased else None


@dataclass(frozen=True, slots=True)
class Plan:
    """Transitions of one flow whose jobs are taken together, up to `size` jobs per commit."""

    flow: str
    names: tuple[str, ...]
    size: int
    lease: float | None
    """Seconds of a lease; None: taken in a transaction."""


def known(wire: Wire) -> list[Known]:
    """Return every transition that is defined now."""
    result = wire.round((_KNOWN, ()))[0]
    value = result.get_value
    return [
        Known(
            (value(r, 0) or b"").decode(),
            (value(r, 1) or b"").decode(),
            value(r, 2) == b"t",
            value(r, 3) == b"t",
            None if (seconds := value(r, 4)) is None else float(seconds),
        )
        for r in range(result.ntuples)
    ]


def plans(
    found: Iterable[Known], registry: Registry, size: int, flows: Collection[str] | None = None
) -> list[Plan]:
    """Return how to take the jobs of transitions with a handler, grouped by flow, mode and batch size."""
    groups: dict[tuple[str, float | None, int], list[str]] = {}
    for one in found:
        entry = registry.find(one.flow, one.transition)
        if entry is not None and (not flows or one.flow in flows):
            group = (one.flow, one.span(entry.mode), _size(entry, size))
            groups.setdefault(group, []).append(one.transition)
    made = [Plan(flow, tuple(sorted(names)), limit, span) for (flow, span, limit), names in groups.items()]
    return sorted(made, key=lambda plan: (plan.flow, plan.names))


def serves(found: Iterable[Plan]) -> list[str]:
    """Return the plans as the kernel registers them: 'flow:transition'."""
    return sorted({f"{plan.flow}:{name}" for plan in found for name in plan.names})


def _size(entry: Entry, size: int) -> int:
    return size if entry.batch is None else min(size, entry.batch)
