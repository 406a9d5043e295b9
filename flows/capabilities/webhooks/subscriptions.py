"""Checks the filter of a webhook before it is saved, and makes its secret."""

from __future__ import annotations

import secrets
from dataclasses import replace

from django.utils.translation import gettext as _

from flows import api
from flows.capabilities.webhooks.api import SavedWebhook, Webhook
from flows.errors import BadWebhook
from flows.filters import Filter, parse
from flows.filters.fields import PARTS
from flows.filters.tree import conditions
from flows.queries.definitions import FlowInfo
from flows.queries.history.step_filter import STEP_PARTS


def save(
    flow: FlowInfo, hook: Webhook, actor: str, replaced: SavedWebhook | None = None
) -> tuple[SavedWebhook, str]:
    """Save a webhook; return it, and its new secret, which can be read only now.

    Another address gets another secret. Raises BadFilter, BadAlert, BadWebhook, UnknownWebhook, UnknownFlow.
    """
    query = _of_step(parse(hook.query, flow)).text()
    secret = hook.secret
    if not secret and (replaced is None or replaced.url != hook.url):
        secret = secrets.token_urlsafe(32)
    number = replaced.id if replaced else None
    return api.webhooks.save(flow.name, replace(hook, query=query, secret=secret), actor, number), secret


def _of_step(found: Filter) -> Filter:
    """Return a filter that the state of a step can answer. Raises BadWebhook."""
    for each in conditions(found.tree):
        if each.field in PARTS and each.field not in STEP_PARTS:
            said = _("“%(field)s” is not known of a step. Use attributes, or one of: %(fields)s.")
            raise BadWebhook(said % {"field": each.field or each.text(), "fields": ", ".join(STEP_PARTS)})
    return found
