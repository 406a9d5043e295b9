"""The options of a trigger whose jobs start child instances."""

from __future__ import annotations

from typing import Annotated, TypedDict

from django.utils.translation import gettext_lazy as _

from flows.definition.options import Group, Option


class ChildrenOptions(TypedDict, total=False):
    """Which child instances a job starts, and which of their ends complete it."""

    child: Annotated[
        str | None,
        Option(
            label=_("starts children of the flow"),
            help=_(
                "No worker performs the transition: its job starts instances of this flow, and their ends"
                " complete it."
            ),
            group=Group.WAITING,
        ),
    ]
    child_count: Annotated[
        str | None,
        Option(
            label=_("how many children"),
            help=_("An SQL expression over the attributes; empty for one."),
            group=Group.WAITING,
            same_line=True,
        ),
    ]
    child_set: Annotated[
        list[str] | None,
        Option(
            label=_("first values of a child"),
            help=_(
                "One assignment per line: an attribute of the child = an SQL expression over the attributes"
                " and child_number."
            ),
            group=Group.WAITING,
            lines=2,
        ),
    ]
    child_wait: Annotated[
        str | None,
        Option(
            label=_("ends that complete the job"),
            help=_("An SQL expression; empty for the ends of all children, 0 to wait for none."),
            group=Group.WAITING,
        ),
    ]
    child_rest: Annotated[
        str,
        Option(
            label=_("children that are open then"),
            help=_("What becomes of children that are open when the job is complete."),
            default="leave",
            choices={"leave": _("go on by themselves"), "cancel": _("are cancelled")},
            group=Group.WAITING,
            same_line=True,
        ),
    ]
    child_exception: Annotated[
        str,
        Option(
            label=_("an exception of a child"),
            help=_("Whether the job waits for the repair of a child that is an exception."),
            default="wait",
            choices={"wait": _("is waited for"), "fail": _("counts as failed")},
            group=Group.WAITING,
            same_line=True,
        ),
    ]
    child_errors: Annotated[
        list[str] | None,
        Option(
            label=_("errors that count as failed"),
            help=_(
                "Values of ended_by, one per line: an exception with one of them counts as failed where"
                " others are waited for."
            ),
            group=Group.WAITING,
            lines=2,
        ),
    ]
    child_result: Annotated[
        list[str] | None,
        Option(
            label=_("result of the children"),
            help=_(
                "One assignment per line: an attribute = an SQL expression over the attributes, children,"
                " children_done, children_failed and children_states."
            ),
            group=Group.WAITING,
            lines=2,
        ),
    ]
