"""Tags of the frame of every page: the areas of the site, breadcrumbs."""

from __future__ import annotations

from django import template
from django.db import DatabaseError
from django.template import Context
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from flows.access import visible_flows
from flows.capabilities.alerts.api import AlertCounts, count_alerts
from flows.capabilities.tasks.deadlines import unread_messages as count_unread
from flows.designer.flows import Waiting, waiting
from flows.errors import WedError
from pages.markup import format_html
from wedsql_site.navigation import Navigation
from wedsql_site.navigation import navigation as of_request
from wedsql_site.second_factor import policy

register = template.Library()


@register.simple_tag
def second_factor_is_offered() -> bool:
    """Return whether the menu has a link to the page Security."""
    return policy.is_offered()


@register.simple_tag(takes_context=True)
def navigation(context: Context) -> Navigation | None:
    """Return the areas of the site that the user may open; None on error pages, which have no user."""
    request, user = context.get("request"), context.get("user")
    if request is None or user is None or not user.is_authenticated:
        return None
    return of_request(request)


@register.simple_tag
def header_part(found: Navigation | None, template: str) -> SafeString:
    """Render a part of the header that shows areas; nothing without a user."""
    return found.part(template) if found else SafeString()


@register.simple_tag(takes_context=True)
def alert_counts(context: Context) -> AlertCounts | None:
    """Return the alerts of the flows that the user sees; None if there is nothing to say."""
    user = context.get("user")
    names = visible_flows(user) if user is not None and user.is_authenticated else frozenset()
    if names == frozenset():
        return None
    try:
        found = count_alerts(None if names is None else sorted(names))
    except (DatabaseError, WedError):  # the page says what is wrong with the database
        return None
    return found if found.active or found.failing else None


@register.simple_tag(takes_context=True)
def unread_messages(context: Context) -> int | None:
    """Return how many messages the user has not read; None where that cannot be said.

    It is counted once for a request.
    """
    user, request = context.get("user"), context.get("request")
    if user is None or request is None or not user.is_authenticated:
        return None
    known: dict[str, int | None] = vars(request)
    if "unread_messages" not in known:
        try:
            known["unread_messages"] = count_unread(user.get_username())
        except (DatabaseError, WedError):
            known["unread_messages"] = None
    return known["unread_messages"]


@register.simple_tag(takes_context=True)
def drafts_and_requests(context: Context) -> list[Waiting]:
    """Return the requests to publish that are open, and the drafts, the newest first."""
    return waiting(context["user"])


@register.simple_block_tag(takes_context=True)
def crumbs(context: Context, content: str, here: str = "") -> SafeString:
    """Render where the page is: its area, the links in the content, and its own name `here`."""
    found = navigation(context)
    area = next((each for each in found.areas if each.current), None) if found else None
    first = format_html('<a href="{}">{}</a> ', area.address, area.title) if area else ""
    last = format_html('<span aria-current="page">{}</span>', here) if here else ""
    html = '<nav class="crumbs" aria-label="{}">{}{}{}</nav>'
    return format_html(html, _("Breadcrumb"), first, content, last)


@register.simple_tag(takes_context=True)
def admin_crumbs(context: Context) -> SafeString:
    """Render the breadcrumbs of one of the admin's own pages: its area, the list, the row."""
    options, row = context.get("opts"), context.get("original")
    if not options:
        return crumbs(context, SafeString(), str(context.get("title") or ""))
    name = capfirst(options.verbose_name_plural)
    if context.get("cl") is not None:
        return crumbs(context, SafeString(), name)
    address = reverse(f"admin:{options.app_label}_{options.model_name}_changelist")
    to_list = format_html('<a href="{}">{}</a> ', address, name)
    return crumbs(context, to_list, str(row or context.get("title") or ""))
