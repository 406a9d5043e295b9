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
    "loading": _("Connecting: your tasks are being loaded."),
    "instance": _("Instance {n}"),
    "no_person": _("Log in with a connection once, so that this device can read your tasks."),
    "lost_results": _(
        "The browser has removed what this device had stored. Results that were not sent are gone: {n}. "
        "What was sent is safe. Perform the marked tasks again."
    ),
    "lost_stored": _(
        "The browser has removed what this device had stored. No result is known to be lost, but what was "
        "completed just before may be, and what was typed is gone. Look at the marked tasks."
    ),
    "again": _("perform it again"),
    "elsewhere": _("on another device of yours, too"),
    "elsewhere_why": _(
        "Tasks that are on another device of yours, too: {n}. Perform each on one device only. Where that "
        "device no longer has them, for instance because its browser has removed them, perform them here."
    ),
    "late": _("overdue"),
    "due_in": _("due in less than {n} h"),
    "clock": _(
        "The clock of this device is wrong by {n} minutes. Deadlines count by the clock of the site; "
        "set yours."
    ),
    "prepared": _("Not locked"),
    "prepared_why": _(
        "These tasks are transferred already. To perform them without a connection, lock them at “Go "
        "offline”."
    ),
    "is_away": _("You are offline, and expect to be back at {until}."),
    "understood": _("Understood"),
    "storage": _("This device uses {used}; about {free} are free."),
    "gone": _("The task is not on this device"),
    "gone_why": _("It was completed, given back, or taken by another person."),
    "wrong": _("The task is not completed yet: look at the marked fields."),
    "wrong_pattern": _("The text has not the form that is asked for: {pattern}."),
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
    "go": _("Go offline"),
    "go_why": _(
        "Choose what you take along. Tasks are locked for you, and their data transferred, before the "
        "connection ends."
    ),
    "go_needs": _(
        "Going offline needs a connection. What is locked and on this device can be performed without one "
        "already; you need not do anything."
    ),
    "go_not_yet": _("You are not offline yet: look at the list again, and go on."),
    "gone_offline": _("You are offline"),
    "left": _(
        "Tasks that you can perform without a connection: {n}. You can switch the connection off. You expect "
        "to be back at {until}."
    ),
    "connect_again": _("Connect again"),
    "leave_in": _("Minutes until you leave"),
    "leave_in_help": _("How long the transfer may take."),
    "back_in": _("Hours until you are back"),
    "back_in_help": _("Your office sees it, and you are warned of tasks that are due before."),
    "wrong_number": _("{name}: enter a whole number from 1 to {most}."),
    "take_along": _("Tasks to take along"),
    "none_to_take": _("There is no task that you could take along."),
    "state_locked": _("locked for you"),
    "state_taken": _("taken, not locked"),
    "state_open": _("open"),
    "here": _("on this device"),
    "not_here": _("to transfer: {size}"),
    "due_before": _("due before you are back: {at}"),
    "to_transfer": _("To transfer: {n} tasks, about {size}."),
    "all_here": _("Nothing is left to transfer."),
    "takes": _("That takes about {seconds} s with {speed}/s."),
    "speed_unknown": _("The speed of the connection is not known yet."),
    "no_time": _(
        "It does not fit: you leave in {minutes} minutes, and {needed} are needed. Allow more time, or take "
        "fewer tasks along."
    ),
    "no_room": _(
        "It does not fit: {size} are needed, and {free} are free. Free some space, or take fewer tasks along."
    ),
    "is_metered": _("This connection costs by volume, or saving data is switched on."),
    "low_energy": _("This device has {n} percent of its energy left. Charge it before you leave."),
    "transferring": _("Transferring task {n} of {all} …"),
    "broke_off": _(
        "The transfer broke off. What has arrived is kept; press “Go offline” again to go on from there."
    ),
    "settings": _("This device"),
    "prefetch": _("Transfer tasks before they are locked"),
    "metered": _("Also on connections that cost by volume"),
    "report": _("Report free space, energy, speed and kind of this device to the site"),
    "setting_saved": _("The setting is saved."),
    "prefetch_paused": _("Nothing is transferred before it is locked, as this connection costs by volume."),
    "restored": _(
        "The site has been restored from a backup, and had lost results of this device: {n}. They are sent "
        "again; files of results that had been accepted are to be chosen again."
    ),
    "files": _("Files"),
    "files_why": _(
        "A file takes tasks to a device of yours that has no connection, and brings its results back. It is "
        "encrypted: only devices on which you have logged in once can open it."
    ),
    "save_tasks": _("Save tasks as a file"),
    "no_save": _("No task that is locked for you is on this device."),
    "choose_task": _("Choose a task first."),
    "save_results": _("Save results as a file"),
    "none_unsent": _("Every result of this device has been sent."),
    "unsent": _("Results that are not sent: {n}. The file also has the files that belong to them."),
    "save_file": _("Save as a file"),
    "file_saved": _("The file is saved: {name}."),
    "open_file": _("Open a file"),
    "file_to_open": _("File with tasks or results"),
    "file_help": _(
        "Tasks are then on this device, too. Results are sent to the site for the device that has saved them;"
        " each counts once, also where that device sends it again."
    ),
    "open_bad": _("This is no file that a device of yours has saved, or it is damaged. Save it again there."),
    "open_large": _("The file is too large: at most {most} are taken. Save fewer results at once."),
    "open_newer": _(
        "A newer version of the program has saved this file. Open this page with a connection once, then the "
        "file again."
    ),
    "no_files_key": _("Open this page with a connection once, so that this device can save and open files."),
    "not_kept": _("The device has no room for what is in the file. Free some space, and open it again."),
    "results_need_line": _(
        "The results could not be sent without a connection. Nothing is lost: open the file again when there "
        "is one. What was sent before counts once."
    ),
    "opened": _("“{task}” is on this device."),
    "opened_newer": _("“{task}”: this device has these data of it already, or newer ones."),
    "opened_done": _("“{task}” is completed on this device already: its result is in the outbox."),
    "became_accepted": _("accepted."),
    "became_gone": _("accepted earlier; its instance is removed by now."),
    "became_discarded": _("discarded."),
    "became_late": _("came too late; it is kept as a late result."),
    "became_refused": _("refused."),
    "became_waiting": _("has arrived, and waits for an earlier result of its device."),
    "became_skipped": _("is not waited for any more."),
    "became_rejected": _("not taken."),
    "became_unsent": _("not sent, because one before it was not taken."),
    "look": _("Look"),
    "send_one": _("Send this one"),
    "result_gone": _("This result is no longer on this device."),
    "outcome": _("Outcome"),
    "reason": _("Reason"),
    "desk": _("Give to the desk"),
    "given": _("“{task}” is at the desk, where people decide on it."),
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
    "line_connecting": _("Connecting …"),
    "line_away": _("Offline, as you chose"),
    "line_log-in": _("Log in again to exchange results"),
    "line_lost": _("This device was reported lost; its data are removed."),
    "line_withdrawn": _("This device was withdrawn; it gets no more tasks."),
}


def texts() -> dict[str, str]:
    """Return the texts in the language that is active."""
    return {name: str(text) for name, text in TEXTS.items()}
