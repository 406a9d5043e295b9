"""The options of a trigger about who performs it, what it writes, and its texts for people."""

from __future__ import annotations

from typing import Annotated, TypedDict

from django.utils.translation import gettext_lazy as _

from flows.definition.options import Group, Option


class DescribingOptions(TypedDict, total=False):
    """Who performs the transition of a trigger, what it may write, and its texts for people."""

    performer: Annotated[
        str,
        Option(
            label=_("performed by"),
            help=_(
                "The database performs a transition in the commit that fires it; it sets only the values"
                " below. What people perform is a task in their lists."
            ),
            default="worker",
            choices={"worker": _("a worker"), "database": _("the database"), "person": _("people")},
            group=Group.DESCRIBING,
        ),
    ]
    role: Annotated[
        str,
        Option(
            label=_("role"),
            help=_(
                "The role that performs its jobs, such as Clerk; empty for none. Tasks are for the people who"
                " have it; lists of jobs and keys of workers can be limited to it."
            ),
            default="",
            group=Group.DESCRIBING,
            same_line=True,
        ),
    ]
    sets: Annotated[
        str | None,
        Option(
            label=_("sets"),
            help=_(
                "What the database sets with each result, as in UPDATE: count = count + 1, state = 'done'."
            ),
            group=Group.DESCRIBING,
            lines=2,
        ),
    ]
    writes: Annotated[
        list[str] | None,
        Option(
            label=_("may write"),
            help=_("The attributes that the transition may write, one per line; empty for all."),
            group=Group.DESCRIBING,
            lines=2,
        ),
    ]
    description: Annotated[
        str,
        Option(label=_("description"), help=_("For people."), default="", group=Group.DESCRIBING),
    ]
