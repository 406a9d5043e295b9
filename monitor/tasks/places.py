"""Where a task is performed: with the data of the site, or on the device of its person (docs/offline.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from flows.capabilities.tasks.api import TaskSheet
from flows.designer.forms import form_layout as layout
from monitor.cases.uploads import limits

KB = 1024
TEXTS: Mapping[str, str | Promise] = {
    "here": _(
        "Recommended: on this device. The data of the task are on it; what you do is kept there, and sent "
        "when the connection allows it."
    ),
    "slow": _(
        "Recommended: on this device. The data of the task are on it, and the connection is slow: with "
        "{speed}/s, files of {most}, the most that the form takes, need {seconds} s. There you do not wait "
        "for them."
    ),
    "fast": _(
        "Recommended: here, with the data of the site. The connection is fast enough, with {speed}/s, and "
        "others see the result at once. Where the connection breaks, go on on this device."
    ),
    "not_here": _(
        "Recommended: here, with the data of the site. The data of the task are not on this device."
    ),
    "not_here_slow": _(
        "Recommended: lock the task, and perform it on this device. The connection is slow, with {speed}/s; "
        "the data of the task, {size}, need {seconds} s, and then a connection that breaks does not "
        "interrupt you."
    ),
    "application": _(
        "Recommended: here. The task is performed with an application that needs the connection all the time."
    ),
}


def most_bytes(sheet: TaskSheet) -> int:
    """Return how many bytes of files the form of a task takes at most."""
    fields = layout.given_fields(sheet.form) if sheet.form else []
    files = [one for one in fields if one.get("kind") == "file" and one.get("writable")]
    return sum(min(int(one.get("max_kb") or limits().size // KB) * KB, limits().size) for one in files)


def facts_of(sheet: TaskSheet) -> dict[str, Any]:
    """Return the facts from which the page of a task recommends a place."""
    return {"most_bytes": most_bytes(sheet), "place_texts": dict(TEXTS), "language": get_language() or "en"}
