"""Tags and filters of the monitor's pages."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from flows.messages import stored
from flows.queries.counting import Count
from flows.queries.definitions import Attribute
from flows.queries.trace import Step
from monitor.labels import HOLDER, job_figure
from pages.labels import SYSTEM_STEP
from pages.templatetags.wed import number

register = template.Library()


@register.filter
def figure(count: Count, state: str) -> SafeString:
    """Return how many jobs are in a state, as the text of a link."""
    return format_html(job_figure(state, count.n), n=number(count))


@register.filter
def written_by(step: Step) -> str:
    """Return what wrote a step: the name of a transition, or a label for the kernel's own steps."""
    name = step.written_by.partition(":")[0]
    jobless = SYSTEM_STEP.get(f"{name} without job") if step.job_id is None else None
    return str(jobless or SYSTEM_STEP.get(name, step.written_by))


@register.filter
def kernel_text(text: str | None) -> str:
    """Return a stored message of the kernel in the language of the user; any other text unchanged."""
    return stored(text or "")


@register.filter
def holder(kind: str) -> str:
    """Return the label of what keeps vacuum from removing rows."""
    return str(HOLDER.get(kind, kind))


@register.filter
def with_cells(
    cells: tuple[str | None, ...], attributes: tuple[Attribute, ...]
) -> list[tuple[Attribute, str | None]]:
    """Return each attribute with its cell."""
    return list(zip(attributes, cells, strict=True))
