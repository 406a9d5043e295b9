"""Tags of the frame of every page."""

from __future__ import annotations

from django import template

from wedsql_site.second_factor import policy

register = template.Library()


@register.simple_tag
def second_factor_is_offered() -> bool:
    """Return whether the menu has a link to the page Security."""
    return policy.is_offered()
