"""The system check of handlers: wedsql.W020 lists handlers that cannot be imported."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Warning, register

from workers import discovery

CLUSTER = "cluster"  # the tag of what a cluster checks before it starts


@register(CLUSTER)
def handlers_can_be_served(**_options: Any) -> list[CheckMessage]:
    """Return W020 as warnings: an error would keep all other handlers, and `migrate`, from running."""
    found: list[CheckMessage] = [
        Warning(
            f"Handlers are not served. {problem}",
            hint="Workers serve all others; restart them after the repair.",
            id="wedsql.W020",
        )
        for problem in discovery.autodiscover().problems
    ]
    discovery.mark_logged()
    return found
