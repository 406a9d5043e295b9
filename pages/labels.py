"""Labels for codes of the kernel and for comparisons of a filter."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from pages.texts import Texts

STATUS: dict[str, str | Promise] = {
    "R": _("Running"),
    "E": _("Exception"),
    "F": _("Final"),
    "S": _("Suspended"),
    "X": _("Compensating"),
    "A": _("Aborted"),
    "C": _("Cancelled"),
}
# A shape beside the colour, so that the status can be read without colours.
GLYPH = {"R": "▶", "E": "!", "F": "✓", "S": "‖", "X": "↩", "A": "✕", "C": "⊘"}

JOB_STATE: dict[str, str | Promise] = {
    "P": _("pending"),
    "L": _("in progress"),
    "K": _("out of attempts"),
    "S": _("suspended"),
}
# What the database records changes of: the tables of wedsql._controls().
CONTROL: dict[str, str | Promise] = {
    "approval_rule": _("Rule for approvals"),
    "case_rule": _("Rule for cases"),
    "recovery_policy": _("Recovery policy"),
    "webhook": _("Webhook"),
    "alert_rule": _("Alert"),
    "sla": _("SLA"),
    "calendar": _("Calendar"),
    "delegation": _("Delegation"),
    "worker_key": _("Worker key"),
    "worker_key_flow": _("Flow of a worker key"),
    "worker_secret": _("Secret of a worker key"),
    "attr": _("Visibility of an attribute"),
    "flow": _("Flow"),
    "auth_user": _("User"),
    "auth_group": _("Group"),
    "auth_permission": _("Permission"),
    "auth_group_permissions": _("Permission of a group"),
    "auth_user_groups": _("Member of a group"),
    "auth_user_user_permissions": _("Permission of a user"),
    "api_token": _("Token"),
    "otp_totp_totpdevice": _("Second factor"),
    "otp_static_staticdevice": _("Recovery codes"),
}
JOB_LIST: dict[str, str | Promise] = {
    "pending": _("Pending"),
    "late": _("Late"),
    "leased": _("In progress"),
    "parked": _("Out of attempts"),
}

OPERATOR: dict[str, str | Promise] = {
    "eq": _("= is"),
    "ne": _("≠ is not"),
    "lt": _("< less than"),
    "le": _("≤ at most"),
    "gt": _("> more than"),
    "ge": _("≥ at least"),
    "contains": _("contains"),
    "starts": _("begins with"),
    "null": _("is empty"),
    "notnull": _("is not empty"),
}
OPERATOR_SHORT: dict[str, str | Promise] = {
    "eq": "=",
    "ne": "≠",
    "lt": "<",
    "le": "≤",
    "gt": ">",
    "ge": "≥",
    "contains": _("contains"),
    "starts": _("begins with"),
    "null": _("is empty"),
    "notnull": _("is not empty"),
}

SYSTEM_JOB: dict[str, str | Promise] = {"_EXCPT": _("Waits for a person to repair it")}
SYSTEM_STEP: dict[str, str | Promise] = {
    "_INIT": _("Started"),
    "_REMATCH": _("Re-matched"),
    "_CANCEL": _("Cancelled"),
    "_TIMEOUT": _("Timed out"),
    "_EXCPT": _("Repaired"),
    # Without a job it is the kernel's record that the instance became an exception.
    "_EXCPT without job": _("Became an exception"),
    "_RECOVER": _("Recovered"),
    "_RECOVER:retry": _("Retried"),
    "_RECOVER:release": _("Released"),
    "_RECOVER:withdraw": _("Withdrawn"),
    "_RECOVER:priority": _("Priority changed"),
    "_RECOVER:extend": _("Time limit prolonged"),
    "_RECOVER:patch": _("Repaired by new values"),
    "_RECOVER:skip": _("Skipped"),
    "_RECOVER:accept": _("Accepted as it is"),
    "_RECOVER:branch": _("Begun from a step of another instance"),
    "_RECOVER:reassign": _("Reassigned"),
    "_RECOVER:rollback": _("Rolled back"),
    "_RECOVER:replay": _("Rolled back and replayed"),
    "_RECOVER:migrate": _("Moved to the present definition"),
    "_RECOVER:compensate": _("Step undone"),
    "_RECOVER:abort": _("Aborted"),
    "_RECOVER:merge_late": _("Late result taken over"),
    "_RECOVER:undo": _("Repair undone"),
    "_COMP": _("Compensated"),
    "_SUSPEND": _("Suspended"),
    "_RESUME": _("Resumed"),
    "_CHILDREN": _("Children added"),
    "_TAKE": _("Task taken"),
    "_MIGRATE": _("Migrated"),
    "_TIMER": _("Timer"),
    "_FAIL": _("Failed"),
}
SYSTEM_TITLES = Texts(SYSTEM_STEP | SYSTEM_JOB)

# What the log of jobs records besides steps.
OUTCOME: dict[str, str | Promise] = {
    "failed": _("failed"),
    "expired": _("the time for it was over"),
    "released": _("released"),
    "given": _("given to another person"),
    "transferred": _("given to the person responsible"),
    "extended": _("deadline extended"),
    "offline": _("performed without a connection, at"),
    "parked": _("out of attempts"),
    "withdrawn": _("withdrawn"),
    "late": _("late"),
    "ended": _("ended"),
    "timeout": _("timed out"),
    "aborted": _("aborted"),
    "lost": _("lost"),
}

TYPE: dict[str, str | Promise] = {
    "text": _("text"),
    "integer": _("whole number"),
    "numeric": _("number"),
    "boolean": _("yes or no"),
    "date": _("date"),
    "timestamptz": _("date and time"),
    "interval": _("duration"),
    "jsonb": _("JSON"),
    "enum": _("one of the options"),
}
BOOLEAN: dict[str, str | Promise] = {"true": _("yes"), "false": _("no")}
WORKER_KIND: dict[str, str | Promise] = {"process": _("process"), "cluster": _("cluster")}

REASON_SHORT: dict[str, str | Promise] = {
    "STUCK": _("no rule applies"),
    "ATTEMPTS": _("attempts used up"),
    "PICKUP": _("waited too long"),
    "LOOP": _("loop"),
    "NO_PROGRESS": _("no progress"),
    "FINAL_BLOCKED": _("final condition blocked"),
    "CONDITION_ERROR": _("condition failed"),
    "WITHDRAWN": _("job withdrawn"),
    "COMPENSATION_FAILED": _("compensation failed"),
    "LATE_RESULT": _("late result"),
    "INTEGRITY": _("integrity violated"),
    "CHILDREN": _("children not started"),
}
REASON: dict[str, str | Promise] = {
    "STUCK": _("No rule applies to these values, and nothing is pending. A person decides how it goes on."),
    "ATTEMPTS": _("A job failed in all its attempts. Retry it when the cause is gone, or enter its result."),
    "PICKUP": _("A job waited for a worker longer than its rule allows."),
    "LOOP": _("The same rule fired more often than the flow allows."),
    "NO_PROGRESS": _("A rule keeps firing although its transition changes nothing."),
    "FINAL_BLOCKED": _("Each pending job would make the state final while the others are still pending."),
    "CONDITION_ERROR": _("A condition could not be computed for this state."),
    "WITHDRAWN": _("A job was withdrawn although its condition holds, or nothing else was pending."),
    "COMPENSATION_FAILED": _("What undoes a step failed in all its attempts. Retry it, or go on without it."),
    "LATE_RESULT": _("A result came after its job was over, and the values are others by now."),
    "INTEGRITY": _("The values violate an integrity condition of the flow. Correct them."),
    "CHILDREN": _(
        "Child instances cannot be started, or their result cannot be written. Correct that and retry."
    ),
}
