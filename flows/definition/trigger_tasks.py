"""The options of a trigger whose jobs people perform."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from django.utils.translation import gettext_lazy as _

from flows.definition.options import Group, Interval, Option


class TaskOptions(TypedDict, total=False):
    """Who may perform a task, until when, and how it may end."""

    deadline: Annotated[
        Interval | None,
        Option(
            label=_("time for the task"),
            help=_(
                "How long people have for the task once it is ready, such as 4 hours; empty for no limit."
            ),
            group=Group.TASKS,
        ),
    ]
    outcomes: Annotated[
        list[str] | None,
        Option(
            label=_("outcomes"),
            help=_(
                "How the task may end, one outcome per line, with what it sets: Approve: approved = true."
                " Empty for one. An outcome FAILED is that of a task that could not be done, and of a job of"
                " a worker whose attempts are used up."
            ),
            group=Group.TASKS,
            lines=2,
        ),
    ]
    sets_when_taken: Annotated[
        str | None,
        Option(
            label=_("set when it is taken"),
            help=_("What is set when a person takes the task, as in UPDATE: begun = true."),
            group=Group.TASKS,
        ),
    ]
    candidate: Annotated[
        str | None,
        Option(
            label=_("person named by"),
            help=_(
                "The attribute whose value is the user who performs the task, role: and a role, or skill: and"
                " a skill that those of the role above need; where it is empty, the role above performs it."
            ),
            group=Group.TASKS,
        ),
    ]
    not_by: Annotated[
        list[str] | None,
        Option(
            label=_("not performed by who performed"),
            help=_("Transitions, one per line: whoever performed one of them may not perform this task."),
            group=Group.TASKS,
            lines=2,
        ),
    ]
    same_as: Annotated[
        str | None,
        Option(
            label=_("performed by who performed"),
            help=_("A transition: whoever performed it last performs this task."),
            group=Group.TASKS,
            same_line=True,
        ),
    ]
    offline: Annotated[
        bool,
        Option(
            label=_("without a connection"),
            help=_("Whether people may lock the task, to perform it without a connection."),
            default=False,
            group=Group.TASKS,
        ),
    ]
    form: Annotated[
        dict[str, Any] | None,
        Option(
            label=_("form"),
            help=_(
                "What the task asks for and shows, as JSON: sections of fields, of which each may be shown,"
                " required or read-only by a condition. Without one all that may be written is asked for."
            ),
            group=Group.TASKS,
            lines=6,
        ),
    ]
    application: Annotated[
        str | None,
        Option(
            label=_("application"),
            help=_(
                "The address of what people perform the task with; attributes are written in braces:"
                " https://crm.example/orders/{id}."
            ),
            group=Group.TASKS,
            same_line=True,
        ),
    ]
