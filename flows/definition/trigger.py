"""The options of a trigger."""

from __future__ import annotations

from typing import Annotated, Required

from django.utils.translation import gettext_lazy as _

from flows.definition.options import Group, Interval, Option, options_of
from flows.definition.trigger_attempts import WaitingOptions
from flows.definition.trigger_children import ChildrenOptions
from flows.definition.trigger_compensation import UndoingOptions
from flows.definition.trigger_descriptions import DescribingOptions
from flows.definition.trigger_tasks import TaskOptions


class TriggerDefinition(
    UndoingOptions, WaitingOptions, ChildrenOptions, TaskOptions, DescribingOptions, total=False
):
    """Fires a transition when a condition over the attributes holds. Table trig, the paper's WED_trig.

    `id` is not an option: it is the number (tgid) of this trigger in the published flow.
    """

    id: int
    label: Annotated[
        str,
        Option(
            label=_("name shown to people"),
            help=_("What everyone reads of this rule, on pages and in mails; empty: its name in programs."),
            default="",
        ),
    ]
    name: Annotated[
        str | None,
        Option(
            label=_("name"),
            help=_("The name in files and programs; need not be unique."),
            column="tgname",
            group=Group.CODES,
        ),
    ]
    transition: Annotated[
        str | None,
        Option(
            label=_("transition"),
            help=_("What is fired: the name that a worker serves. None on the final condition."),
            column="trname",
            same_line=True,
        ),
    ]
    condition: Annotated[
        str | None,
        Option(
            label=_("name of the condition"),
            help=_("Rules with the same name of the condition have the same condition."),
            column="cname",
            group=Group.CODES,
            same_line=True,
        ),
    ]
    predicate: Required[
        Annotated[
            str,
            Option(
                label=_("condition"),
                help=_(
                    "The condition, as in an SQL WHERE, over this flow's attributes:"
                    " a1 = 'ready' and a2 is null"
                ),
                column="cpred",
                lines=2,
            ),
        ]
    ]
    timeout: Annotated[
        Interval | None,
        Option(
            label=_("timeout"),
            help=_(
                "How long a worker may take, such as 30 seconds or 3d18h; empty for no limit."
                " A rule defined without one has the default timeout of the flow."
            ),
            default="00:01:00",
        ),
    ]
    final: Annotated[
        bool,
        Option(
            label=_("final"),
            help=_("The instance is finished when the condition holds; one rule per flow."),
            default=False,
            column="cfinal",
            same_line=True,
        ),
    ]
    integrity: Annotated[
        str | None,
        Option(
            label=_("integrity condition"),
            help=_(
                "An integrity condition fires nothing: a commit after which it does not hold is rejected, or"
                " a state is not final without it. It has a name and no transition."
            ),
            choices={"always": _("has to hold in each state"), "final": _("has to hold in each final state")},
            same_line=True,
        ),
    ]
    enabled: Annotated[
        bool,
        Option(
            label=_("enabled"),
            help=_("A disabled rule does not fire; jobs that it has fired stay."),
            default=True,
            same_line=True,
        ),
    ]


TRIGGER = options_of(TriggerDefinition).by_group()
