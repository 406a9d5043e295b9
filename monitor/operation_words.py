"""What pages call the operations on instances, and what they say that each does, for one instance and many.

Which operations there are, their arguments, statuses and permissions is in the kernel's table
(flows.api.operations.offered); `monitor/tests/api/test_registry.py` compares the names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise


@dataclass(frozen=True)
class Words:
    """The title of an operation, the text of its button, and what it does, to one instance and to many.

    `done` says that it was performed, where it has no page of its own to say so. Without `of_many` it is not
    offered for many instances; `many_title` is its title there, where that is another one.
    """

    title: Text
    button: Text
    effect: Text
    of_many: Text = ""
    many_title: Text = ""
    done: Text = ""


WORDS: Mapping[str, Words] = {
    "suspend": Words(
        _("Suspend"),
        _("Suspend the instance"),
        _(
            "No job of it is offered, what workers have taken is given back, and results of jobs that run now"
            " are rejected. Timers,"
            " back-off and deadlines stop until it is resumed."
        ),
        _(
            "Their jobs are not offered, what workers have taken is given back, and timers and deadlines"
            " stop until they are resumed."
        ),
        done=_("The instance is suspended."),
    ),
    "resume": Words(
        _("Resume"),
        _("Resume the instance"),
        _(
            "Its jobs are offered again, and timers, back-off and deadlines go on with the time that"
            " was left."
        ),
        _("Their jobs are offered again, and timers and deadlines go on with the time that was left."),
        done=_("The instance is resumed."),
    ),
    "rematch": Words(
        _("Match again"),
        _("Match again"),
        _("The present conditions are evaluated: transitions fire, exceptions that have work again end."),
        _("The present conditions are evaluated: transitions fire, exceptions that have work again end."),
    ),
    "retry": Words(
        _("Retry now"),
        _("Retry the job now"),
        _(
            "The job is offered at once and has all its attempts again. If no other job has failed, the"
            " instance runs again."
        ),
        _("Jobs that failed in all their attempts are offered at once and have all of these again."),
        _("Retry failed jobs"),
        _("The job is offered."),
    ),
    "release": Words(
        _("Release"),
        _("Release the job"),
        _("Other workers may take the job, and the result of its holder will be rejected."),
        done=_("The job is released."),
    ),
    "withdraw": Words(
        _("Withdraw"),
        _("Withdraw the job"),
        _("The job is removed and will not be performed."),
        done=_("The job is withdrawn."),
    ),
    "priority": Words(
        _("Priority"),
        _("Change the priority"),
        _("Among the ready jobs of a transition, those with the highest priority are taken first."),
        _("Among the ready jobs of a transition, those with the highest priority are taken first."),
        _("Change the priority"),
        _("The priority is changed."),
    ),
    "extend": Words(
        _("More time"),
        _("Prolong the time limit"),
        _(
            "The time limit of this job grows, also while a worker performs it; a lease lasts longer by the"
            " same time."
        ),
        done=_("The time limit is prolonged."),
    ),
    "reassign": Words(
        _("Assign"),
        _("Assign the job"),
        _(
            "From now on only the workers of this name take the job, also when it is tried again. An empty"
            " name gives it back to all workers."
        ),
        _("Only the workers of a name take the jobs from now on; an empty name gives them back to all."),
        done=_("The job is assigned."),
    ),
    "hand_over": Words(
        _("Hand over"),
        _("Hand over"),
        _(
            "It ceases to run here and goes to another installation with its history, its files and all"
            " values. It can be taken back until that installation has confirmed it."
        ),
    ),
    "cancel": Words(
        _("Cancel"),
        _("Cancel the instance"),
        _("Pending jobs are withdrawn and nothing is compensated. It cannot be undone."),
        _("Pending jobs are withdrawn and nothing is compensated. It cannot be undone."),
    ),
    "patch": Words(
        _("New values"),
        _("Apply"),
        _("The values are written. Then the instance goes on with each rule that applies."),
        _("The values are written. Then each instance goes on with the rules that apply."),
    ),
    "accept": Words(
        _("Accept as it is"),
        _("Accept"),
        _("The instance becomes final with the values that it has, and what is pending is withdrawn."),
        _("The instances become final with the values that they have, and what is pending is withdrawn."),
        _("Accept as they are"),
    ),
    "complete": Words(
        _("Enter the result of a job"),
        _("Record the result"),
        _("The result is recorded as if the worker of the job had delivered it, with your name."),
        _("The result is recorded as if the worker of the job had delivered it, with your name."),
    ),
    "skip": Words(
        _("Skip a job"),
        _("Skip"),
        _("The job is removed. Its rule fires again only after its condition has been false."),
        _("The job is removed. Its rule fires again only after its condition has been false."),
    ),
    "rollback": Words(
        _("Roll back to a step"),
        _("Roll back"),
        _("The steps after this one are undone, the last one first. Then the instance goes on from here."),
        _("The last steps of transitions are undone, the last one first; then the conditions are evaluated."),
        _("Undo the last steps"),
    ),
    "abort": Words(
        _("Undo all steps"),
        _("Undo all steps"),
        _("Every step is undone, the last one first, and the instance ends as aborted."),
        _("Every step is undone, the last one first, and the instance ends as aborted."),
    ),
    "migrate": Words(
        _("Move to the present definition"),
        _("Move"),
        _(
            "If the present rules explain every step, this is only noted. Else the steps from the first one"
            " that they do not explain are undone and replayed."
        ),
    ),
    "skip_compensation": Words(
        _("Go on without a compensation"),
        _("Go on"),
        _("The compensation that waits is left out, and the next one follows."),
    ),
    "replay": Words(
        _("Roll back to a step and replay"),
        _("Roll back and replay"),
        _(
            "The steps after this one are undone. Then rules whose values are as they were get their recorded"
            " results again, and workers perform only what changed."
        ),
    ),
    "compensate": Words(
        _("Undo a step"),
        _("Undo the step"),
        _("This step is undone, and the steps that depend on it; others keep their values and jobs."),
    ),
    "undo": Words(
        _("Undo the repair"),
        _("Undo the repair"),
        _("The values, the status and the jobs are again what they were before the repair."),
    ),
    "merge_late": Words(
        _("Take a late result over"),
        _("Take over"),
        _("The values are written. Then the instance goes on with each rule that applies."),
    ),
    "discard_late": Words(
        _("Discard a late result"),
        _("Discard"),
        _("The instance stays as it is. The result is kept with your reason, and waits no longer."),
    ),
    "branch": Words(
        _("Start again from a step"),
        _("Start a new instance"),
        _("A new instance begins with the state of this step. This one stays as it is."),
    ),
}


def title(operation: str) -> str:
    """Return the title of an operation; its name where it has none."""
    return str(WORDS[operation].title) if operation in WORDS else operation
