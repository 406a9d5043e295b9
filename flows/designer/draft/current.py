"""The definition that the pages of a flow show: the draft if there is one, else the one that runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _

from flows import api
from flows.errors import Refused
from flows.labels import rule_title
from flows.types import MAIN, Draft


@dataclass(frozen=True)
class Shown:
    """A definition; `draft` is None if it is the running one."""

    definition: dict[str, Any]
    version: int
    draft: Draft | None = None


def shown(flow: str) -> Shown:
    """Return the content of the flow's draft, or its running definition."""
    # Not by the error of reading it: that would end the transaction of the page.
    if any(draft.branch == MAIN for draft in api.drafts.list(flow)):
        draft = api.drafts.read(flow)
        return Shown(draft.definition, draft.base_version, draft)
    version, definition = api.drafts.running_definition(flow)
    return Shown(definition, version)


def proposed_definition(flow: str, version: int | None) -> Shown:
    """Return the definition of a version, or without one what `shown` returns."""
    if version is None:
        return shown(flow)
    try:
        return Shown(api.publications.version_definition(flow, version), version)
    except Refused as error:
        raise Http404 from error


def title_at(triggers: Sequence[Mapping[str, Any]], place: int | None) -> str:
    """Return the title of the rule at a place; None stands for one that was removed from the definition."""
    return _("a rule that is removed") if place is None else rule_title(triggers[place])
