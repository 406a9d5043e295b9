"""The options of a trigger about undoing its steps."""

from __future__ import annotations

from typing import Annotated, TypedDict

from django.utils.translation import gettext_lazy as _

from flows.definition.options import Group, Option

# "class" is a keyword of Python, so these are not declared in a class.
UndoingOptions = TypedDict(
    "UndoingOptions",
    {
        "compensation": Annotated[
            str,
            Option(
                label=_("compensation"),
                help=_("What makes up for a step of this rule when people undo it."),
                default="none",
                choices={
                    "none": _("no action is needed"),
                    "inverse": _("the attributes get their former values back"),
                    "transition": _("another transition, which a worker performs"),
                },
                group=Group.UNDOING,
            ),
        ],
        "compensated_by": Annotated[
            str | None,
            Option(
                label=_("compensated by"),
                help=_("The transition that undoes a step, such as a refund; it needs no rule of its own."),
                group=Group.UNDOING,
                same_line=True,
            ),
        ],
        "class": Annotated[
            str,
            Option(
                label=_("class of its steps"),
                help=_("Whether people can undo its steps."),
                default="retriable",
                choices={
                    "compensatable": _("has an effect: is not undone without a compensation"),
                    "retriable": _("may be repeated, needs no compensation"),
                    "pivot": _("there is no way back behind it"),
                },
                group=Group.UNDOING,
                same_line=True,
            ),
        ],
    },
    total=False,
)
