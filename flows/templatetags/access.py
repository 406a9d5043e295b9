"""The permissions of `flows.access` for templates, so that a page offers only what its user may do."""

from typing import Any

from django import template
from django.utils.html import format_html

from flows import access
from pages.addresses import address

register = template.Library()

register.filter("sees_everything", access.sees_everything)
register.filter("may_see", access.may_see)
register.filter("may_add", access.may_add)
register.filter("may_change", lambda user, flow: access.may(user, "design", flow))
register.filter("may_operate", access.may_operate)
register.filter("may_handle", access.may_handle)
register.filter("handles", lambda user, one: access.may_on(user, "handle", one.flow, one.wid))
register.filter("may_repair", access.may_repair)
register.filter("may_look", lambda user, flow: access.may(user, "look", flow))
register.filter("may_audit", lambda user, flow: access.may(user, "reveal", flow))
register.simple_tag(access.operations_of, name="operations_of")


@register.simple_tag(takes_context=True)
def flow_link(context: template.Context, flow: Any) -> str:
    """Link to the page of a flow; only name it to a user who may not see the flow (flows.access)."""
    if not access.may_see(context["user"], flow.name):
        return str(flow.title)
    return format_html('<a href="{}">{}</a>', address("monitor:flow", flow.name), flow.title)
