"""The options of a trigger."""

from __future__ import annotations

from typing import Annotated, Required, TypedDict

from django.utils.translation import gettext_lazy as _

from flows.definition.options import Group, Interval, Option, SmallInteger, options_of

# "class" is a keyword of Python, so these are not declared in a class.
_Undoing = TypedDict(
    "_Undoing",
    {
        "compensation": Annotated[
            str,
            Option(
                label=_("compensation"),
                help=_("What makes up for a step of this rule when people undo it."),
                default="none",
                choices={
                    "none": _("nothing is to do"),
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


class TriggerDefinition(_Undoing, total=False):
    """Fires a transition when a condition over the attributes holds. Table trig, the paper's WED_trig.

    `id` is not an option: it is the number (tgid) of this trigger in the published flow.
    """

    id: int
    name: Annotated[
        str | None,
        Option(label=_("name"), help=_("For people; need not be unique."), column="tgname"),
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
            help=_("The name shown to people."),
            column="cname",
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
    on_error: Annotated[
        str,
        Option(
            label=_("when the condition fails"),
            help=_("What happens when the condition cannot be evaluated on a state."),
            default="exception",
            choices={
                "abort": _("reject the commit"),
                "false": _("count as not met"),
                "exception": _("open an exception"),
            },
            group=Group.WAITING,
        ),
    ]
    revalidate: Annotated[
        str,
        Option(
            label=_("when the condition no longer holds"),
            help=_("What happens to a pending job whose condition no longer holds."),
            default="none",
            choices={
                "none": _("the job stays"),
                "at_take": _("rejected when taken"),
                "withdraw": _("the job is withdrawn"),
            },
            group=Group.WAITING,
            same_line=True,
        ),
    ]
    mode: Annotated[
        str,
        Option(
            label=_("lock mode"),
            help=_("How a worker holds the job."),
            default="auto",
            choices={
                "auto": _("a lease when the timeout is over a minute"),
                "transaction": _("one database transaction"),
                "lease": _("a claim with an expiry"),
            },
            group=Group.WAITING,
            same_line=True,
        ),
    ]
    max_attempts: Annotated[
        int,
        Option(
            label=_("attempts"),
            help=_("How many attempts a failing job has."),
            default=5,
            group=Group.WAITING,
        ),
    ]
    backoff: Annotated[
        Interval,
        Option(
            label=_("wait between attempts"),
            help=_("The wait before the second attempt; it doubles with each further one."),
            default="00:00:01",
            group=Group.WAITING,
            same_line=True,
        ),
    ]
    max_firings: Annotated[
        int | None,
        Option(
            label=_("firings per instance"),
            help=_(
                "How often it may fire for one instance before that is a loop; empty for the flow's limit."
            ),
            group=Group.WAITING,
            same_line=True,
        ),
    ]
    pickup_deadline: Annotated[
        Interval | None,
        Option(
            label=_("must be picked up within"),
            help=_("How long a job may wait for a worker; empty for no limit."),
            group=Group.WAITING,
        ),
    ]
    priority: Annotated[
        SmallInteger,
        Option(
            label=_("priority"), help=_("Higher goes first."), default=0, group=Group.WAITING, same_line=True
        ),
    ]
    due_attr: Annotated[
        str | None,
        Option(
            label=_("due at attribute"),
            help=_("An attribute with a date or time: the rule fires at that time."),
            group=Group.WAITING,
        ),
    ]
    due_after: Annotated[
        Interval | None,
        Option(
            label=_("due after"),
            help=_("Fires that long after the condition was met, or after the time in the attribute."),
            group=Group.WAITING,
            same_line=True,
        ),
    ]
    concurrent: Annotated[
        bool,
        Option(
            label=_("allow parallel jobs"),
            help=_("The job may run in parallel with another one of the same transition and instance."),
            default=False,
            group=Group.WAITING,
        ),
    ]
    fire_once: Annotated[
        bool,
        Option(
            label=_("fire once per instance"),
            help=_("The rule fires at most once for an instance."),
            default=False,
            group=Group.WAITING,
            same_line=True,
        ),
    ]
    refresh_payload: Annotated[
        bool,
        Option(
            label=_("refresh the payload of a pending job"),
            help=_("Firing again gives a pending job the present state."),
            default=False,
            group=Group.WAITING,
            same_line=True,
        ),
    ]
    replay: Annotated[
        str,
        Option(
            label=_("when it is replayed"),
            help=_(
                "Whether a replay uses its recorded result again if the values that its condition reads"
                " are the same."
            ),
            default="call",
            choices={"call": _("a worker is called"), "reuse": _("its recorded result is used again")},
            group=Group.WAITING,
        ),
    ]
    signal: Annotated[
        bool,
        Option(
            label=_("waits for a signal"),
            help=_(
                "No worker performs the transition: its job is pending until a signal with the name of the"
                " transition gives the result."
            ),
            default=False,
            group=Group.WAITING,
        ),
    ]
    keep: Annotated[
        Interval | None,
        Option(
            label=_("keep early signals for"),
            help=_("How long a signal is kept that comes before its job, such as 3d; empty: not at all."),
            group=Group.WAITING,
            same_line=True,
        ),
    ]
    mutex: Annotated[
        str | None,
        Option(
            label=_("exclusion group"),
            help=_("At most one job of the rules with the same name is performed at a time per instance."),
            group=Group.WAITING,
        ),
    ]
    lock: Annotated[
        str | None,
        Option(
            label=_("lock"),
            help=_(
                "At most one job that needs the lock is performed at a time in the whole flow, such as"
                " printer, or room {room} with the value of an attribute; one that begins with / is for all"
                " flows."
            ),
            group=Group.WAITING,
            same_line=True,
        ),
    ]
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
    performer: Annotated[
        str,
        Option(
            label=_("performed by"),
            help=_(
                "The database performs a transition in the commit that fires it; it sets only the values"
                " below."
            ),
            default="worker",
            choices={"worker": _("a worker"), "database": _("the database")},
            group=Group.DESCRIBING,
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
    label: Annotated[
        str, Option(label=_("label"), help=_("The name shown to people."), default="", group=Group.DESCRIBING)
    ]
    description: Annotated[
        str,
        Option(
            label=_("description"), help=_("For people."), default="", group=Group.DESCRIBING, same_line=True
        ),
    ]


TRIGGER = options_of(TriggerDefinition).by_group()
