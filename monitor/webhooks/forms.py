"""The form of a webhook, and how pages show it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from django.utils.translation import gettext_lazy

from flows.capabilities.webhooks.api import EVENTS, SavedWebhook, Webhook
from pages.clock import NOTHING

EVENT = {
    "started": gettext_lazy("An instance starts"),
    "final": gettext_lazy("An instance becomes final"),
    "exception": gettext_lazy("An instance becomes an exception"),
    "cancelled": gettext_lazy("An instance is cancelled"),
    "tested": gettext_lazy("Test"),
}
# The label of each state of a webhook, and the class of its colour.
STATE = {
    "off": (gettext_lazy("switched off"), "none"),
    "paused": (gettext_lazy("paused"), "E"),
    "problem": (gettext_lazy("the filter fails"), "X"),
    "failing": (gettext_lazy("the receiver fails"), "X"),
    "normal": (gettext_lazy("normal"), "F"),
}
LONGEST = 5_000


def empty(query: str = "") -> dict[str, str]:
    """Return the fields of a new webhook."""
    return {"query": query, "enabled": "on", "final": "on", "exception": "on"}


def of_hook(hook: SavedWebhook) -> dict[str, str]:
    """Return the fields of a saved webhook."""
    events = {each: "on" if each in hook.events else "" for each in EVENTS}
    shown = {"url": hook.url, "query": hook.query, "attributes": " ".join(hook.attributes)}
    return shown | events | {"enabled": "on" if hook.enabled else ""}


def given(form: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that were sent, without the character NUL."""
    names = ("url", "query", "attributes", "enabled", *EVENTS)
    return {name: form.get(name, "").replace("\x00", "")[:LONGEST].strip() for name in names}


def hook_of(fields: Mapping[str, str]) -> Webhook:
    """Return the webhook that the fields describe."""
    return Webhook(
        fields["url"],
        [each for each in EVENTS if fields[each]],
        fields["query"],
        [each for each in re.split(r"[\s,;]+", fields["attributes"]) if each],
        bool(fields["enabled"]),
    )


def state(hook: SavedWebhook) -> tuple[object, str]:
    """Return the label and the colour of the state of a webhook."""
    found = {
        "paused": hook.paused_at is not None,
        "off": not hook.enabled,
        "problem": hook.problem is not None,
        "failing": hook.failing_since_at is not None,
    }
    return STATE[next((name for name, holds in found.items() if holds), "normal")]


def title(hook: SavedWebhook) -> str:
    """Return the host, which distinguishes a webhook without its whole address, which may have a secret."""
    return urlsplit(hook.url).hostname or NOTHING
