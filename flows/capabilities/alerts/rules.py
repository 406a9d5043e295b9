"""Checks the filter of a rule before it is saved, and makes the secret of its webhook."""

from __future__ import annotations

import secrets
from dataclasses import replace

from flows import api
from flows.capabilities.alerts.api import AlertRule, SavedAlertRule
from flows.filters import parse
from flows.queries.definitions import FlowInfo


def save(
    flow: FlowInfo, rule: AlertRule, actor: str, replaced: SavedAlertRule | None = None
) -> tuple[SavedAlertRule, str]:
    """Save a rule; return it, and the new secret of its webhook, which can be read only now.

    Another address gets another secret. Raises BadFilter, BadAlert, UnknownAlert, UnknownFlow.
    """
    query = parse(rule.query, flow).text() if rule.kind == "count" else ""
    secret = rule.secret
    if rule.url and not secret and (replaced is None or replaced.url != rule.url):
        secret = secrets.token_urlsafe(32)
    number = replaced.id if replaced else None
    saved = api.alerts.save_rule(flow.name, replace(rule, query=query, secret=secret), actor, number)
    return saved, secret
