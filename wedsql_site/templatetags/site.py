"""Tags of the frame of every page: the areas of the site, breadcrumbs."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from django import template
from django.conf import settings
from django.db import DatabaseError
from django.template import Context
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import get_language, get_language_info
from django.utils.translation import gettext as _

from flows.access import visible_flows
from flows.designer.flows import Waiting, waiting
from flows.errors import WedError
from flows.queries.header import HeaderCounts, header_counts
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
def alert_counts(context: Context) -> HeaderCounts | None:
    """Return the alerts of the flows that the user sees; None if there is nothing to say."""
    found = _counts(context)
    return found if found and (found.active or found.failing) else None


@register.simple_tag(takes_context=True)
def unread_messages(context: Context) -> int | None:
    """Return how many messages the user has not read; None where that cannot be said."""
    found = _counts(context)
    return found.unread if found else None


def _counts(context: Context) -> HeaderCounts | None:
    """Return the counts of the header for the user, once per request; None where that cannot be said."""
    user, request = context.get("user"), context.get("request")
    if user is None or request is None or not user.is_authenticated:
        return None
    known: dict[str, HeaderCounts | None] = vars(request)
    if "header_counts" not in known:
        try:
            known["header_counts"] = header_counts(visible_flows(user), user.get_username())
        except (DatabaseError, WedError):  # the page says what is wrong with the database
            known["header_counts"] = None
    return known["header_counts"]


class Language(NamedTuple):
    """A language that the reader may choose, by its own name."""

    code: str
    short: str
    name: str


@register.simple_tag
def other_languages() -> tuple[Language, ...]:
    """Return the languages of the site besides that of the page."""
    return _others(get_language())


@lru_cache(maxsize=64)
def _others(active: str | None) -> tuple[Language, ...]:
    codes = [code for code, _name in settings.LANGUAGES if code != active]
    names = ((code, get_language_info(code)["name_local"]) for code in codes)
    return tuple(Language(code, code[:2].upper(), capfirst(name)) for code, name in names)


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
