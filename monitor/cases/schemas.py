"""What the endpoints of cases return."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja import Schema
from pydantic import Field


class CaseOut(Schema):
    """A case: an exception of the instance `wid` and the work on it; see docs/cases.md."""

    number: int
    flow: str
    wid: int
    cause: str
    transition: str
    signature: str = Field(description="Cases with the same one have the same cause; empty until computed.")
    state: str
    seq: int = Field(description="The last step of the exception.")
    opened_at: datetime
    opened_seq: int
    reopened: int = Field(description="How often.")
    owner: str
    claimed_until_at: datetime | None
    waits_until_at: datetime | None
    waits_for: str = Field(description="The condition until which it waits.")
    queue: str
    severity: str
    priority: int
    due_at: datetime | None
    reason_code: str
    closed_at: datetime | None
    closed_by: str = Field(description="The step that ended the exception.")


class CaseEventOut(Schema):
    """An entry in the history of a case."""

    id: int
    at: datetime
    kind: str
    actor: str
    text: str
    detail: dict[str, Any]


class CaseDetailOut(CaseOut):
    history: list[CaseEventOut] = Field(description="Its last 500 entries, oldest first.")


class CasesOut(Schema):
    items: list[CaseOut]
    next: str | None = Field(None, description="The cursor of the next page; null at the end.")


class NextCaseOut(Schema):
    """The case that was claimed; null where none is free."""

    case: CaseOut | None


class CaseGroupOut(Schema):
    """Open cases of a flow with one cause and signature; `newest` is the number of one of them."""

    flow: str
    cause: str
    signature: str
    transition: str
    open: int
    last_day: int
    oldest_at: datetime
    newest: int


class CaseGroupsOut(Schema):
    items: list[CaseGroupOut]


class SuggestionOut(Schema):
    """A repair of earlier cases with the same signature, and what became of them."""

    key: str
    operation: str
    attributes: list[str]
    values: dict[str, Any] = Field(description="Values that were the same in several cases.")
    cases: int
    final: int = Field(description="How many of the instances are final now.")
    median_seconds: float
    last_at: datetime
    numbers: list[int] = Field(description="The last cases.")
    thin: bool = Field(description="Too few cases to conclude anything from them.")


class SuggestionsOut(Schema):
    items: list[SuggestionOut]


class RuleOut(Schema):
    """A rule that would have continued alike cases; not published by itself, see docs/learning.md."""

    number: int
    flow: str
    signature: str
    condition: str = Field(description="It holds on the states of alike cases.")
    attributes: list[str] = Field(description="What the most successful repair wrote.")
    values: dict[str, Any] = Field(description="Values that were the same in several cases.")
    repaired: int = Field(description="How many cases this repair closed.")
    final: int = Field(description="How many of their instances are final now.")
    open: int = Field(description="Open cases on whose states the condition holds.")
    past: int = Field(description="Closed ones of the last year.")
    prevents: int = Field(description="Both together.")
    thin: bool = Field(description="Too few cases to conclude anything from them.")


class ProposedRuleOut(Schema):
    rule: RuleOut | None


class DraftedRuleOut(Schema):
    """The draft with the rule."""

    flow: str
    branch: str
    revision: int


class CaseCountsOut(Schema):
    """Cases with one value of what they are counted by; times from opening to closing."""

    value: str
    flow: str | None = Field(description="Only by signature.")
    cases: int
    open: int
    repaired: int
    reopened: int
    median_seconds: float | None
    p90_seconds: float | None
    newest: int
    examined: int = Field(description="Cases that the report is about, the newest 100,000 at most.")


class CaseFileOut(Schema):
    """A file of a case."""

    id: int
    case: int
    name: str
    size: int
    sha256: str = Field(description="The digest of its content.")
    added_by: str
    added_at: datetime


class CaseFileContentOut(CaseFileOut):
    content: str = Field(description="Base64.")


class CaseFilesOut(Schema):
    items: list[CaseFileOut]


class CaseReportOut(Schema):
    items: list[CaseCountsOut]
