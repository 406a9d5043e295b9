"""The options of an attribute."""

from __future__ import annotations

from typing import Annotated, Required, TypedDict

from django.utils.translation import gettext_lazy as _

from flows.definition.options import Option, options_of


class AttributeDefinition(TypedDict, total=False):
    """One value that every instance of the flow has. Table attr, the paper's WED_attr.

    `id` and `was` are not options: publishing renames the attribute of that number (aid) or name to `name`.
    """

    id: int
    was: str
    name: Required[
        Annotated[
            str,
            Option(
                label=_("name"),
                help=_(
                    "The column of wed_flow: a lower-case letter, then lower-case letters, digits and _,"
                    " at most 63 characters, unique in the flow."
                ),
                column="aname",
            ),
        ]
    ]
    type: Annotated[
        str,
        Option(
            label=_("type"),
            help=_("What its values are."),
            default="text",
            choices={
                "text": _("text"),
                "integer": _("whole number"),
                "numeric": _("number"),
                "boolean": _("yes or no"),
                "date": _("date"),
                "timestamptz": _("date and time"),
                "interval": _("duration"),
                "jsonb": _("JSON"),
                "enum": _("one of the options"),
            },
        ),
    ]
    default: Annotated[
        str | None,
        Option(
            label=_("initial value"),
            help=_("The value of a new instance that is started without one; empty for none."),
            column="adv",
        ),
    ]
    options: Annotated[
        list[str] | None,
        Option(
            label=_("options"),
            help=_("The values that an attribute of the type “one of the options” may have, one per line."),
            lines=2,
        ),
    ]
    option_labels: Annotated[
        list[str] | None,
        Option(
            label=_("labels of the options"),
            help=_(
                "What people read for an option, one per line, such as sold_out = Sold out; for one language"
                " sold_out [pt-br] = Esgotado. An option without a label is shown as it is."
            ),
            lines=2,
        ),
    ]
    position: Annotated[
        int | None,
        Option(
            label=_("position"),
            help=_("Its place on pages; attributes without one come last, in the order of definition."),
        ),
    ]
    business_key: Annotated[
        bool,
        Option(
            label=_("business key"),
            help=_(
                "Whether people identify an instance by it: pages show it beside the number, and the search"
                " finds instances by its beginning. For texts, numbers and options; it need not be unique."
            ),
            default=False,
        ),
    ]
    start_source: Annotated[
        bool,
        Option(
            label=_("what starts an instance"),
            help=_(
                "Whether a new instance has in it the name of the signal, or the time, that started it. For"
                " texts and options; a person or program that starts an instance may give it any value."
            ),
            default=False,
        ),
    ]
    repairable: Annotated[
        bool,
        Option(
            label=_("repairable"),
            help=_("Whether the repair of an exception may write it."),
            default=True,
            same_line=True,
        ),
    ]
    visibility: Annotated[
        str,
        Option(
            label=_("visibility"),
            help=_(
                "Who sees its values: everyone who sees the flow, or only users who may reveal them. Others"
                " see its name without the value (masked), or nothing (hidden)."
            ),
            default="everyone",
            choices={
                "everyone": _("shown to everyone"),
                "masked": _("masked"),
                "hidden": _("hidden"),
            },
        ),
    ]
    label: Annotated[str, Option(label=_("label"), help=_("The name shown to people."), default="")]
    description: Annotated[str, Option(label=_("description"), help=_("For people."), default="")]


ATTRIBUTE = options_of(AttributeDefinition)
