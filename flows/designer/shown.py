"""The definition that the pages of a flow show: the draft if there is one, else the one that runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flows import api
from flows.api.drafts import MAIN
from flows.labels import translate_label
from flows.types import Draft


@dataclass(frozen=True)
class Shown:
    """A definition; `draft` is None if it is the running one."""

    definition: dict[str, Any]
    version: int
    draft: Draft | None = None


def shown(flow: str) -> Shown:
    """Return the content of the flow's draft, or its running definition."""
    # Not by the error of reading it: that would end the transaction of the page.
    if any(draft.branch == MAIN for draft in api.list_drafts(flow)):
        draft = api.read_draft(flow)
        return Shown(draft.definition, draft.base_version, draft)
    version, definition = api.running_definition(flow)
    return Shown(definition, version)


def rule_title(trigger: dict[str, Any]) -> str:
    """Return the name of a rule of a definition: its label, condition, transition or name."""
    if trigger.get("label"):
        return translate_label(str(trigger["label"]))
    given = (trigger.get(name) for name in ("condition", "transition", "name"))
    return next((str(each) for each in given if each and each != "_FINAL"), "")
