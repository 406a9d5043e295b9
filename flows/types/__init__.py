"""Arguments and results of the public API (flows.api): immutable values without behaviour."""

from __future__ import annotations

from flows.types.definitions import (
    AutomaticStep,
    Change,
    Completions,
    ConditionFunction,
    Explanation,
    Part,
    Problem,
    PublishReport,
    Situation,
    Truths,
)
from flows.types.drafts import (
    Draft,
    DraftAt,
    DraftInfo,
    GroupChoices,
    Publication,
    PublicationChoices,
    PublicationStatus,
    Revision,
    Version,
)
from flows.types.impact import Counted, Impact, RuleImpact
from flows.types.work import (
    ClaimedJob,
    Completion,
    FailResult,
    Failure,
    NeverOffered,
    Offer,
    StartResult,
    StepResult,
)

__all__ = [
    "AutomaticStep",
    "Change",
    "ClaimedJob",
    "Completion",
    "Completions",
    "ConditionFunction",
    "Counted",
    "Draft",
    "DraftAt",
    "DraftInfo",
    "Explanation",
    "FailResult",
    "Failure",
    "GroupChoices",
    "Impact",
    "NeverOffered",
    "Offer",
    "Part",
    "Problem",
    "Publication",
    "PublicationChoices",
    "PublicationStatus",
    "PublishReport",
    "Revision",
    "RuleImpact",
    "Situation",
    "StartResult",
    "StepResult",
    "Truths",
    "Version",
]
