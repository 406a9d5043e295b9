"""The system check of handlers: wedsql.W020, what no worker serves because it cannot be imported."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Warning, register

from workers import discovery


@register
def handlers_can_be_served(**_options: Any) -> list[CheckMessage]:
    """W020: a warning, for an error would also keep every other handler, and `migrate`, from running."""
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
