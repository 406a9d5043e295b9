"""Mails about open cases: no values of instances, and only of flows that their readers see now."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from flows import api
from flows.access import AnyUser, leave_out, visible_flows
from flows.capabilities.cases.digests import CaseDigest, DueDigest
from flows.definition.option_labels import QueueTitles
from flows.labels import translate_label
from flows.models import Flow
from pages.labels import REASON_SHORT

log = logging.getLogger("workers.alerts")

# The columns that the role of the reaper may read (flows.grants).
COLUMNS = ("username", "email", "is_active", "is_staff", "is_superuser")


def queue(due: DueDigest) -> bool:
    """Queue the mail of a user, and note its next time also where there is nothing to send."""
    user = get_user_model().objects.only(*COLUMNS).filter(pk=due.user).first()
    if user is None:
        api.cases.delete_digests(due.user)
        return False
    found = None
    try:
        found = message(user, due) if user.is_active and user.email else None
    except Exception:  # a mail that cannot be made delays those of no other user
        log.exception("a mail about cases was not made")
    queued = api.cases.queue_digest(due, settings.WEDSQL_DIGEST_HOUR, user.email, found)
    return queued and found is not None


def message(user: AnyUser, due: DueDigest) -> dict[str, Any] | None:
    """Return the subject and the text of a mail in the language of its reader; None if no case is open."""
    leave_out(user)
    visible = visible_flows(user)
    counted = [(one, _counted(one, visible, due.at)) for one in due.items]
    found = [(one, count) for one, count in counted if count and count["open"]]
    if not found:
        return None
    with override(due.language):
        largest = max((count for _one, count in found), key=lambda count: count["open"])
        subject = _("Cases: %(open)s open, %(new)s new") % largest
        parts = [_section(one, count, _titles(count)) for one, count in found]
        return {"name": "cases", "flow": "", "event": "digest", "subject": subject,
                "text": "\n\n".join([*parts, _footer()]) + "\n"}  # fmt: skip


def _counted(one: CaseDigest, visible: frozenset[str] | None, at: datetime) -> dict[str, Any] | None:
    """Return the counts of a mail; None if its reader does not see the flow any longer."""
    if one.flow is not None and visible is not None and one.flow not in visible:
        return None
    every = None if visible is None else sorted(visible)
    flows = every if one.flow is None else [one.flow]
    return api.cases.digest(flows, one.queue, one.since_at, at)


def _titles(count: Mapping[str, Any]) -> dict[str, str]:
    """Return the titles of the flows of a section."""
    names = {each["flow"] for each in (*count["causes"], *count["urgent"])}
    labels = Flow.objects.filter(name__in=names).values_list("name", "label")
    return {name: translate_label(label) or name for name, label in labels}


def _queue(one: CaseDigest, names: Iterable[str]) -> str:
    """Return the title of the queue of a section, by the labels of its flows."""
    lines = Flow.objects.filter(name__in=set(names)).values_list("name", "queue_labels")
    return QueueTitles(dict(lines)).of(one.queue, one.flow)


def _section(one: CaseDigest, count: Mapping[str, Any], titles: Mapping[str, str]) -> str:
    flow = _("All flows") if one.flow is None else titles.get(one.flow, one.flow)
    head = (
        _("%(flow)s, queue %(queue)s") % {"flow": flow, "queue": _queue(one, titles)}
        if one.queue
        else str(flow)
    )
    counts = ngettext("%(open)s case is open", "%(open)s cases are open", count["open"]) % count
    since = _("%(new)s new since %(since)s") % {"new": count["new"], "since": moment(one.since_at)}
    overdue = [_("%(overdue)s overdue") % count] if count["overdue"] else []
    lines = [head, "; ".join([counts, since, *overdue]) + ".", "", _("By cause:")]
    lines += [f"- {each['open']}: {titles[each['flow']]}, {_cause(each)}" for each in count["causes"]]
    lines += ["", _("The most urgent:")]
    for each in count["urgent"]:
        lines += [f"- {_case(each, titles)}", f"  {address('instances', each['wid'])}"]
    return "\n".join(lines)


def _case(found: Mapping[str, Any], titles: Mapping[str, str]) -> str:
    """Return a case in one line."""
    parts = [_("Case %(number)s") % found, titles[found["flow"]], _cause(found)]
    if found["due_at"]:
        parts.append(_("due %(time)s") % {"time": moment(datetime.fromisoformat(found["due_at"]))})
    return ", ".join(parts)


def _cause(found: Mapping[str, Any]) -> str:
    return str(REASON_SHORT.get(found["cause"], found["cause"]))


def moment(at: datetime) -> str:
    """Return a time as mails have it."""
    return f"{at:%Y-%m-%d %H:%M} UTC"


def address(*parts: Any) -> str:
    """Return the address of a page of the site."""
    return "/".join([settings.WEDSQL_SITE_URL.rstrip("/"), *map(str, parts), ""])


def _footer() -> str:
    """Return where all cases are, and where these mails are changed."""
    return "\n".join([
        "--", f"{_('All cases')}: {address('cases')}",
        f"{_('Change or end these mails')}: {address('cases', 'digests')}",
    ])  # fmt: skip
