"""The texts of the client, which it has in the language of its page."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

TEXTS: Mapping[str, str | Promise] = {
    "tasks": _("Offline tasks"),
    "outbox": _("Outbox"),
    "task": _("Task"),
    "made": _("Made"),
    "state": _("State"),
    "actions": _("Actions"),
    "due": _("due"),
    "no_tasks": _(
        "No task is on this device. Lock tasks for work without a connection; they are transferred here."
    ),
    "no_person": _("Log in with a connection once, so that this device can read your tasks."),
    "lost_results": _(
        "The browser has removed what this device had stored. Results that were not sent are gone: {n}. "
        "What was sent is safe. Perform the marked tasks again."
    ),
    "lost_stored": _(
        "The browser has removed what this device had stored. Everything that was completed had been sent; "
        "what was typed and not completed is gone. Tasks are transferred again."
    ),
    "again": _("perform it again"),
    "understood": _("Understood"),
    "storage": _("This device uses {used}; about {free} are free."),
    "gone": _("The task is not on this device"),
    "gone_why": _("It was completed, given back, or taken by another person."),
    "wrong": _("The task is not completed yet: look at the marked fields."),
    "not_saved": _(
        "The device could not save the result. Free some space, and try again; what you typed is still here."
    ),
    "done_already": _("The task is completed on this device already: its result is in the outbox."),
    "file_gone": _("A file that you chose is no longer on this device. Choose it again."),
    "file_saving": _("The file is saved …"),
    "file_unread": _("The file could not be read. Choose it again."),
    "file_empty": _("The file is empty. Choose one that has something in it."),
    "file_large": _("The file is too large: at most {most} are taken."),
    "file_no_room": _(
        "The device has no room for this file of {size}. Delete something, then choose it again."
    ),
    "saved": _("“{task}” is saved on this device, and will be delivered."),
    "sending": _("Sending …"),
    "sent": _("Everything is exchanged."),
    "send": _("Send now"),
    "correct": _("Correct"),
    "export": _("Export"),
    "export_all": _("Export all"),
    "discard": _("Discard"),
    "remove": _("Remove from this list"),
    "discarded": _("“{task}” is discarded."),
    "discard_sure": _("Remove the result of “{task}” from this device? It cannot be restored."),
    "cancel": _("Cancel"),
    "outbox_empty": _("There are no results on this device."),
    "leaving": _("{n} results are not sent. Send, export or discard them before you log out."),
    "arrived": _("Arrived {at}."),
    "held_for": _("It has arrived, and waits for result {n}, which is missing."),
    "late_kept": _("It is kept as a late result."),
    "late_conflict": _("It is kept as a late result, about which people decide."),
    "late_merged": _("It was taken over by {by}."),
    "late_same": _("The instance has these values already."),
    "late_discarded": _("It was discarded by {by}."),
    "is_waiting": pgettext_lazy("result", "waiting"),
    "is_discarding": pgettext_lazy("result", "discarded, not reported yet"),
    "is_held": pgettext_lazy("result", "sent"),
    "is_accepted": pgettext_lazy("result", "accepted"),
    "is_late": pgettext_lazy("result", "came too late"),
    "is_refused": pgettext_lazy("result", "refused"),
    "line_connected": _("Connected"),
    "line_offline": _("No connection"),
    "line_log-in": _("Log in again to exchange results"),
    "line_lost": _("This device was reported lost; its data are removed."),
    "line_withdrawn": _("This device was withdrawn; it gets no more tasks."),
}


def texts() -> dict[str, str]:
    """Return the texts in the language that is active."""
    return {name: str(text) for name, text in TEXTS.items()}
