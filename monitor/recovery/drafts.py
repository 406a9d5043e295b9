"""Drafts of repairs: what a user typed on the page of a case, kept until it is applied or discarded.

There is one per case and way to repair.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs

from django.utils import timezone
from django.utils.translation import gettext as _

from flows.designer.trial.values import BadValue, Field, named_fields
from flows.queries.statements import Prepared
from monitor.models import CaseDraft
from monitor.recovery.choices import CHOICES, Subject

# Of one user; the oldest goes first.
MOST = 50
LONGEST = 20_000
KEPT = timedelta(days=90)


def texts(about: Subject, fields: Iterable[Field], start: Iterable[Field]) -> dict[str, str]:
    """Return the changes in a form, by field, as they were typed; `start` is the form before."""
    before = {one.field: one.text for one in start}
    typed = ((one.field, one.text.replace("\x00", "")) for one in fields)
    changed = {field: text for field, text in typed if text != before[field]}
    return changed | ({"override": "1"} if about.choice.overrides and about.override else {})


def facts(user: Any, case: int, about: Subject, state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the draft of a user with the form that it fills in, and the user's other drafts of the case."""
    kept = _kept(user, case)
    others = [(one.address, title) for one in kept if one.address != about.address and (title := _title(one))]
    found = next((one for one in kept if one.address == about.address), None)
    if found is None:
        return {"drafts": others}
    typed = about.initial | found.fields
    return {
        "drafts": others,
        "draft": found,
        "about": replace(about, override="override" in found.fields),
        "fields": named_fields(about.attributes, about.before(state), typed),
        "reason": found.reason,
    }


_addresses = Prepared(lambda: CaseDraft.objects.filter(case=0).filter(user=0).values_list("address"))


def _kept(user: Any, case: int) -> list[CaseDraft]:
    """Return the drafts of a user for a case; mostly there are none, which one quick query says."""
    if not _addresses.rows(case, user.pk):
        return []
    return list(CaseDraft.objects.filter(user=user, case=case).order_by("address"))


def _title(found: CaseDraft) -> str:
    """Return the title of the operation of a draft; "" if there is no such operation."""
    (name,) = parse_qs(found.address).get("operation", [""])
    return str(CHOICES[name].title) if name in CHOICES else ""


def keep(user: Any, case: int, address: str, fields: Mapping[str, str], reason: str) -> bool:
    """Keep a draft, which replaces an earlier one; without anything typed there is none. Raises BadValue."""
    if len(json.dumps(dict(fields))) + len(reason) > LONGEST:
        raise BadValue(_("The draft is too long to be kept."))
    if not fields and not reason:
        discard(user, case, address)
        return False
    now = timezone.now()
    values = {"fields": dict(fields), "reason": reason, "saved_at": now}
    CaseDraft.objects.update_or_create(user=user, case=case, address=address, defaults=values)
    own = CaseDraft.objects.filter(user=user)
    own.filter(saved_at__lt=now - KEPT).delete()
    kept = own.order_by("-saved_at", "-pk").values_list("pk", flat=True)[:MOST]
    own.exclude(pk__in=list(kept)).delete()
    return True


def discard(user: Any, case: int, address: str | None = None) -> None:
    """Delete the drafts of a user for a case, or only the one with this address."""
    found = CaseDraft.objects.filter(user=user, case=case)
    (found if address is None else found.filter(address=address)).delete()
