"""The options of a flow, and the type of a whole definition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

from django.utils.translation import gettext_lazy as _

from flows.definition.attribute import AttributeDefinition
from flows.definition.options import Group, Interval, Option, options_of
from flows.definition.trigger import TriggerDefinition


class Definition(TypedDict, total=False):
    """The definition of a flow, in `flows.api`, JSON and YAML.

    `flow` and `version` are those from which the definition was read; publishing ignores them.
    """

    flow: str
    version: int
    label: Annotated[str, Option(label=_("label"), help=_("The name shown to people."), default="")]
    description: Annotated[str, Option(label=_("description"), help=_("For people."), default="", lines=2)]
    final_when_pending: Annotated[
        str,
        Option(
            label=_("final state while jobs are pending"),
            help=_("What happens to a commit that reaches the final condition while other jobs are pending."),
            default="reject",
            choices={
                "reject": _("reject the commit"),
                "defer": _("wait for the pending jobs"),
                "cancel": _("withdraw the pending jobs"),
            },
        ),
    ]
    needs_approval: Annotated[
        bool,
        Option(
            label=_("a second person approves"),
            help=_("A changed definition is published only after another person has approved it."),
            default=False,
        ),
    ]
    start_by: Annotated[
        list[str] | None,
        Option(
            label=_("signals that start an instance"),
            help=_("Names of signals, one per line; one that names no instance starts one with its data."),
            lines=2,
        ),
    ]
    start_at: Annotated[
        list[str] | None,
        Option(
            label=_("times at which an instance starts"),
            help=_("One per line: a moment, or a repetition such as R/PT1H or R5/2027-01-01T06:00Z/P1D."),
            lines=2,
        ),
    ]
    queue_labels: Annotated[
        list[str] | None,
        Option(
            label=_("labels of the queues"),
            help=_(
                "What people read for a queue of cases, one per line, such as carrier = Carriers; for one"
                " language carrier [pt-br] = Transportadoras."
            ),
            lines=2,
        ),
    ]
    worker_keys: Annotated[
        bool,
        Option(
            label=_("workers need a key"),
            help=_("Only workers that are logged in with a key for this flow may take and finish its jobs."),
            default=False,
            group=Group.LIMITS,
        ),
    ]
    default_timeout: Annotated[
        Interval | None,
        Option(
            label=_("default timeout"),
            help=_("For a rule defined without one, such as 1 hour or 3d18h; empty for none."),
            default="00:01:00",
            group=Group.LIMITS,
        ),
    ]
    max_firings: Annotated[
        int,
        Option(
            label=_("firings before a loop is suspected"),
            help=_("How often one rule may fire for one instance."),
            default=1000,
            group=Group.LIMITS,
        ),
    ]
    retention: Annotated[
        Interval | None,
        Option(
            label=_("keep finished instances for"),
            help=_("How long they are kept before the command archive may remove them; empty for no limit."),
            group=Group.LIMITS,
        ),
    ]
    notify_trace: Annotated[
        bool,
        Option(
            label=_("notify the monitor on every step"),
            help=_("Without it, pages show new steps when they are loaded again."),
            default=True,
            group=Group.LIMITS,
        ),
    ]
    notify_state: Annotated[
        bool,
        Option(
            label=_("notifications of jobs contain the state"),
            help=_("Without it, clients of the paper's protocol read the state of a new job from job_pool."),
            default=True,
            group=Group.LIMITS,
        ),
    ]
    responsible: Annotated[
        str | None,
        Option(
            label=_("person responsible"),
            help=_(
                "The user who gets messages about each new instance: its start, its end, failed tasks and"
                " deadlines. Another one can be chosen when an instance starts, and later."
            ),
            group=Group.TASKS,
        ),
    ]
    warnings: Annotated[
        list[str] | None,
        Option(
            label=_("hours before a deadline"),
            help=_(
                "When messages about the deadline of a task are sent, one number per line, such as 24."
                " One may be followed by transfer: then the task goes to the person responsible."
            ),
            group=Group.TASKS,
            lines=2,
        ),
    ]
    notified: Annotated[
        str,
        Option(
            label=_("offered to"),
            help=_("To which of the persons who have its role a task is offered."),
            default="all",
            choices={
                "all": _("all"),
                "fewest_assigned": _("those with the fewest tasks"),
                "fewest_selected": _("those who have taken the fewest tasks"),
                "last_connected": _("those who connected last"),
            },
            group=Group.TASKS,
        ),
    ]
    notified_count: Annotated[
        int,
        Option(
            label=_("number of persons"),
            help=_("How many persons that is, where it is not all."),
            default=1,
            group=Group.TASKS,
            same_line=True,
        ),
    ]
    task_calendar: Annotated[
        str | None,
        Option(
            label=_("calendar of deadlines"),
            help=_(
                "The calendar of the flow by whose working time the deadlines of tasks count;"
                " empty for all time."
            ),
            group=Group.TASKS,
        ),
    ]
    attributes: list[AttributeDefinition]
    triggers: list[TriggerDefinition]


# A definition as it is given, whatever made it.
AnyDefinition = Definition | Mapping[str, Any]

FLOW = options_of(Definition)
