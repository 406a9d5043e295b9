"""The options of a trigger about failing, waiting and repeating."""

from __future__ import annotations

from typing import Annotated, TypedDict

from django.utils.translation import gettext_lazy as _

from flows.definition.options import Group, Interval, Option, SmallInteger


class WaitingOptions(TypedDict, total=False):
    """How the jobs of a trigger wait, fail and repeat."""

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
