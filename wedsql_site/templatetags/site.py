"""Tags of the frame around every page."""

from __future__ import annotations

from django import template

from wedsql_site.second_factor import policy

register = template.Library()


@register.simple_tag
def second_factor_is_offered() -> bool:
    """Whether the menu leads to the page Security."""
    return policy.is_offered()
