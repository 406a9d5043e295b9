"""Labels of the monitor's pages for codes of health, filters and counts."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy

from flows.definition.option_labels import value_label
from flows.filters.fields import STATUSES, Field
from monitor.operation_words import WORDS
from pages.labels import REASON_SHORT, STATUS
from pages.texts import Texts

WARNING: dict[str, str | Promise] = {
    "dead_rows": _("A table has more dead rows than vacuum should leave: see the tables below."),
    "held_back": _(
        "Something open for more than five minutes prevents vacuum from removing dead rows: see below."
    ),
    "months": _(
        "The history has no partition for next month yet. The reaper creates them: check that it runs."
    ),
    "in_default": _("Rows of the history are in the default partition instead of that of their month."),
    "queue": _("PostgreSQL's notification queue fills up: a listener is stuck in a transaction."),
}
TROUBLE: dict[str, str | Promise] = {
    "expired": _("An expired lease is not given back"),
    "timers": _("A due timer does not fire"),
    "late": _("A late job is not marked"),
    "automatic": _("An automatic transition is not performed"),
    "ended": _("A session past its timeout is not ended"),
    "locked": _("The flow is not maintained"),
    "flow": _("The flow is not maintained"),
    **dict.fromkeys(
        ("clock", "care", "workers", "troubles", "skipped", "old_signals"),
        _("A part of the reaper's rounds fails"),
    ),
    "keys": _("Leases of an ended worker key are not released"),
    "proposals": _("A proposal that is over is not closed"),
    "sessions": _("Sessions past their timeout are not ended"),
    "locks": _("Sessions of other clients that hold locks are not ended"),
    "conditions": _("Failed conditions are not counted"),
    "refused": _("A rejected job is not handled"),
    "retired": _("A finished instance is not archived"),
    "publication": _("A scheduled definition is not published"),
    "rematch": _("A published definition does not reach an instance"),
    "bulk": _("A bulk operation is not continued"),
    "signatures": _("The signatures of exceptions are not computed"),
    "clocks": _("The clock of an SLA is not advanced"),
    "waits": _("Conditions for which cases wait are not examined"),
    "policies": _("A recovery policy is not applied"),
    "signals": _("A kept signal is not delivered"),
    "starts": _("An instance does not start at its time"),
    "deadlines": _("The deadline of a task is not handled"),
    "children": _("Child instances are not started, counted or ended"),
}
# What became of a signal.
SIGNAL: dict[str, str | Promise] = {
    "delivered": _("delivered"),
    "started": _("started the instance"),
    "kept": _("kept until an instance waits"),
    "expired": _("kept for its whole time"),
    "ignored": _("without effect"),
}
# How a user was shown values.
WAY: dict[str, str | Promise] = {
    "page": _("Page"),
    "file": _("File"),
    "http": _("HTTP API"),
    "live": _("Live page"),
    "command": _("Command"),
}
COUNTED: dict[str, str | Promise] = {
    "pending": _("Jobs waiting"),
    "late": _("Late jobs"),
}
WINDOW: dict[str, str | Promise] = {
    "hour": _("Hour"),
    "day": _("Day"),
    "today": _("Today"),
    "yesterday": _("Yesterday"),
    "week": _("Week"),
    "month": _("Month"),
}
AGAINST: dict[str, str | Promise] = {
    "before": _("the period before"),
    "week": _("a week before"),
}
HOLDER: dict[str, str | Promise] = {
    "transaction": _("open transaction"),
    "prepared": _("prepared transaction"),
    "slot": _("replication slot without a client"),
}
FIELD: dict[str, str | Promise] = {
    "status": _("Status"),
    "flow": _("Flow"),
    "is": _("Work"),
    "pending": _("Pending transition"),
    "sla": _("SLA"),
    "reason": _("Reason of the exception"),
    "key": _("Key"),
    "id": _("Number"),
    "parent": _("Started by instance"),
    "version": _("Version"),
    "actor": _("Started by"),
    "started": _("Started"),
    "changed": _("Changed"),
    "finished": _("Finished"),
    "since": _("Changed since"),
    "age": _("Age"),
    "idle": _("Unchanged for"),
    "took": _("Took"),
    "excepted": _("Became an exception"),
    "did": _("Performed"),
    "redid": _("Performed more than once"),
    "failed": _("Had a failed attempt of"),
    "error.group": _("Failed with the error"),
    "followed": _("Transition after transition"),
    "path": _("Path"),
    "task.name": _("Task"),
    "task.role": _("Role of the task"),
    "task.holder": _("Person who has the task"),
    "task.priority": _("Priority of the task"),
    "task.due": _("Deadline of the task"),
    "task.arrived": _("Arrival of the task"),
    "task.size": _("Size of the data of the task"),
    "job.transition": _("Transition of the job"),
    "job.priority": _("Priority of the job"),
    "job.attempts": _("Attempts of the job"),
    "job.fired": _("Arrival of the job"),
    "job.next": _("Next attempt of the job"),
    "job.worker": _("Worker that performs the job"),
    "job.assigned": _("Worker that the job is assigned to"),
    "case.number": _("Number of the case"),
    "case.state": _("State of the case"),
    "case.cause": _("Cause of the case"),
    "case.queue": _("Queue of the case"),
    "case.holder": _("Person who has the case"),
    "case.severity": _("Severity of the case"),
    "case.priority": _("Priority of the case"),
    "case.due": _("Due time of the case"),
    "case.opened": _("Case opened"),
    "case.closed": _("Case closed"),
    "approval.number": _("Number of the proposal"),
    "approval.state": _("State of the proposal"),
    "approval.operation": _("Proposed operation"),
    "approval.maker": _("Proposed by"),
    "approval.group": _("Group that approves"),
    "approval.reason": _("Reason of the proposal"),
    "approval.proposed": _("Proposed"),
    "approval.expires": _("Proposal expires"),
    "approval.decided": _("Proposal decided"),
    "alert.name": _("Name of the alert"),
    "alert.state": _("State of the alert"),
    "alert.kind": _("Kind of the alert"),
    "alert.about": _("What the alert is about"),
    "alert.value": _("Value of the alert"),
    "alert.limit": _("Limit of the alert"),
    "alert.started": _("Alert started"),
    "alert.acknowledged": _("Alert acknowledged by"),
    "alert.changed": _("Alert changed"),
    "alert.author": _("Alert changed by"),
}
# The views that every list has, and their titles.
VIEWS = {
    "exceptions": "status:exception",
    "people": "is:people",
    "late": "is:late",
    "unserved": "is:unserved",
    "started": "started:today",
    "final": "status:final finished:today",
}
VIEW: dict[str, str | Promise] = {
    "exceptions": _("Exceptions"),
    "people": _("Waiting for people"),
    "late": _("Late"),
    "unserved": _("No worker"),
    "started": _("Started today"),
    "final": _("Final today"),
}
# Values of conditions that are words of the language.
CHOICE: dict[str, str | Promise] = {
    **{name: STATUS[letter] for name, letter in STATUSES.items()},
    "living": _("living"),
    "ended": _("ended"),
    "late": _("late"),
    "leased": _("in progress"),
    "parked": _("out of attempts"),
    "people": _("waits for people"),
    "unserved": _("without a worker"),
}
CASE_STATE: dict[str, str | Promise] = {
    "new": pgettext_lazy("case", "new"),
    "claimed": pgettext_lazy("case", "claimed"),
    "waiting": pgettext_lazy("case", "waiting"),
    "proposed": pgettext_lazy("case", "proposed"),
    "approved": pgettext_lazy("case", "approved by one of two"),
    "reopened": pgettext_lazy("case", "reopened"),
    "applied": pgettext_lazy("case", "repaired"),
    "accepted": pgettext_lazy("case", "accepted"),
    "closed": pgettext_lazy("case", "closed"),
}
SEVERITY: dict[str, str | Promise] = {
    "low": pgettext_lazy("severity", "low"),
    "normal": pgettext_lazy("severity", "normal"),
    "high": pgettext_lazy("severity", "high"),
    "critical": pgettext_lazy("severity", "critical"),
}
PROPOSAL_STATE: dict[str, str | Promise] = {
    "proposed": pgettext_lazy("proposal", "waits for approval"),
    "approved": pgettext_lazy("proposal", "approved by one of two"),
    "applied": pgettext_lazy("proposal", "applied"),
    "rejected": pgettext_lazy("proposal", "rejected"),
    "withdrawn": pgettext_lazy("proposal", "withdrawn"),
    "expired": pgettext_lazy("proposal", "expired"),
    "failed": pgettext_lazy("proposal", "not applied"),
}
ALERT_STATE: dict[str, str | Promise] = {
    "active": _("active"),
    "pending": _("pending"),
    "failing": _("cannot be evaluated"),
    "normal": _("normal"),
    "new": _("not measured yet"),
    "off": _("switched off"),
}
ALERT_KIND: dict[str, str | Promise] = {
    "count": _("Instances that meet a filter"),
    "exception_age": _("Age of the oldest exception"),
    "queue_age": _("Age of the oldest waiting job of a transition"),
    "workers": _("Workers that serve a transition"),
}
# The words of each field that has words of the language, or of cases, as values.
_VALUES: dict[str, Mapping[str, str | Promise]] = {
    "status": CHOICE, "is": CHOICE, "case.state": CASE_STATE, "case.severity": SEVERITY,
    "case.cause": REASON_SHORT, "approval.state": PROPOSAL_STATE, "alert.state": ALERT_STATE,
    "alert.kind": ALERT_KIND, "approval.operation": {name: one.title for name, one in WORDS.items()},
}  # fmt: skip
# What became of the rows of a file.
START_RESULT: dict[str, str | Promise] = {
    "started": _("Started"),
    "known": _("Started before"),
    "refused": _("Not started"),
}
INVARIANT: dict[str, str | Promise] = {
    "I1": _("A running instance has work pending or a timer; an exception waits for its repair."),
    "I2": _("Every condition that holds on a running instance has its job."),
    "I3": _("The history has a row for each step, in order; folded it gives the present state."),
    "I4": _("A claim and a job are applied once, and every job applied has a number that was given out."),
    "I5": _("What has ended has no pending work; a job is ready, leased, or parked at an exception."),
    "I6": _("What a job did, and every job that waits, was fired by an earlier step of its instance."),
    "I7": _("Every failed attempt is counted on its job and recorded in the log."),
    "I8": _("No session holds a transaction open or waits for a lock indefinitely; nothing is prepared."),
    "I9": _("The figures have each counted step of the last days in its minute."),
    "I10": _("Each exception has an open case, and each open case its exception."),
    "I11": _("Each job that people perform is one open task, which has an owner if the job is held."),
    "I12": _("No result of a device waits behind one that was decided on later."),
    "I13": _("An instance that is at another installation has no pending work here."),
}


_FIELDS, _WORDS = Texts(FIELD), {name: Texts(labels) for name, labels in _VALUES.items()}


def field_title(field: Field) -> str:
    """Return the name of a field for people: the label of an attribute, or of a part of every instance."""
    return field.attribute.title if field.attribute else _FIELDS.get(field.name, field.name)


def value_title(field: Field, value: str) -> str:
    """Return a value for people: the label of a word of the language, or the value itself."""
    if field.attribute:
        return ", ".join(value_label(field.attribute.type, one) for one in value.split(", "))
    words = _WORDS.get(field.name)
    return words.get(value, value) if words else value


def job_figure(state: str, n: int) -> str:
    """Return the label of a number of jobs in a state: HTML with a placeholder for the number."""
    return {
        "pending": ngettext("<b>%(n)s</b> pending", "<b>%(n)s</b> pending", n),
        "late": ngettext("<b>%(n)s</b> late", "<b>%(n)s</b> late", n),
        "leased": ngettext("<b>%(n)s</b> in progress", "<b>%(n)s</b> in progress", n),
        "parked": ngettext("<b>%(n)s</b> out of attempts", "<b>%(n)s</b> out of attempts", n),
    }[state].replace("%(n)s", "{n}")
