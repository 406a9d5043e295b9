"""Sentences that workers store with a job or a delivery, in English; {slots} hold facts.

A page shows them in the language of its reader: it recognizes them by their text (flows.messages.stored).
"""

from __future__ import annotations


def _(sentence: str) -> str:
    """Mark a sentence for translation; Django's own marker needs settings, which come after this import."""
    return sentence


NOTHING = _("The handler returned nothing.")
EMPTY_SET = _("The handler returned an empty SET string.")
BAD_RESULT = _("A handler must return a dict of changes, a SET string, or None; this one returned {type}.")
BAD_VALUE = _("An attribute cannot hold a {type}.")
NUL_IN_STATE = _("Text in a state cannot hold the NUL character.")
NUL_IN_SET = _("A SET string cannot hold the NUL character.")
TOO_LONG = _(
    "A result has at most {limit} characters; this one has {length}."
    " Keep large data outside of the state, and a reference to it inside."
)
TIMEOUT = _("The handler ran longer than the timeout of its job.")
PROCESS_DIED = _("The worker process died while it ran the handler.")
NO_TRANSACTION = _("A leased job has no transaction; register the handler with mode='transaction'.")
NO_LEASE = _("Only a leased job can be extended; register the handler with mode='lease'.")
LOST = _("The job is no longer held: it was withdrawn, suspended or given to another worker.")
FORKED = _(
    "A process that a handler forked cannot use the connection of the job."
    " Return its result to the parent, or open another connection."
)
REFUSED_TASK = _(
    "This cluster performs jobs of the pool only."
    " Write the work as a @transition and start an instance with flows.api.instances.start."
)
# What BaseWorker, which needs no Django, stores with a job.
OF_BASEWORKER = (
    _("wed_trans returned nothing."),
    _("A SET clause cannot hold the NUL character."),
    _("A SET clause has at most {limit} characters."),
)
# Why a message was not delivered, besides those of receivers (flows/capabilities/alerts).
NO_MAIL_SERVER = _("No mail server is set (WEDSQL_EMAIL_HOST).")
MAIL_REFUSED = _("The mail server did not take the message: {error}.")
NOT_SENT = _("The message was not sent: {error}.")
SENTENCES = (
    NOTHING, EMPTY_SET, BAD_RESULT, BAD_VALUE, NUL_IN_STATE, NUL_IN_SET, TOO_LONG, TIMEOUT, PROCESS_DIED,
    NO_TRANSACTION, NO_LEASE, FORKED, REFUSED_TASK, *OF_BASEWORKER,
    NO_MAIL_SERVER, MAIL_REFUSED, NOT_SENT,
)  # fmt: skip
