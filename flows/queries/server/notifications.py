"""Why notifications of jobs do not contain the state."""

from __future__ import annotations

from typing import NamedTuple

from flows.queries.base import rows


class Withheld(NamedTuple):
    """One reason, `option`, `attributes` or `roles`, and the names of the attributes or roles."""

    reason: str
    names: list[str]


def state_withheld(flow: str) -> list[Withheld]:
    """Return why notifications of the flow's jobs do not contain the state; nothing if they do."""
    return [Withheld(**found) for found in rows("select * from wedsql.state_withheld(%s)", [flow])]
