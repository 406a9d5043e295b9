"""Drafts of repairs: what a user typed on the page of a case, kept until it is applied or discarded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from flows.designer.values import BadValue
from monitor.models import CaseDraft

# Of one user; the oldest goes first.
MOST = 50
LONGEST = 20_000
KEPT = timedelta(days=90)


def draft_of(user: Any, case: int) -> CaseDraft | None:
    """Return the draft of a user for a case."""
    return CaseDraft.objects.filter(user=user, case=case).first()


def keep(user: Any, case: int, fields: Mapping[str, str], reason: str) -> bool:
    """Keep a draft, which replaces an earlier one; without anything typed there is none. Raises BadValue."""
    if len(json.dumps(dict(fields))) + len(reason) > LONGEST:
        raise BadValue(_("The draft is too long to be kept."))
    if not fields and not reason:
        discard(user, case)
        return False
    now = timezone.now()
    values = {"fields": dict(fields), "reason": reason, "saved_at": now}
    CaseDraft.objects.update_or_create(user=user, case=case, defaults=values)
    own = CaseDraft.objects.filter(user=user)
    own.filter(saved_at__lt=now - KEPT).delete()
    kept = own.order_by("-saved_at", "-pk").values_list("pk", flat=True)[:MOST]
    own.exclude(pk__in=list(kept)).delete()
    return True


def discard(user: Any, case: int) -> None:
    """Delete the draft of a user for a case, if there is one."""
    CaseDraft.objects.filter(user=user, case=case).delete()
