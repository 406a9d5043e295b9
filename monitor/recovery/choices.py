"""The ways to repair an instance that a page offers, and what each is about."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from flows import api
from flows.capabilities.recovery.api import Operation
from flows.designer.trial.values import texts
from flows.queries.jobs import OpenJob
from monitor.operation_words import WORDS, Text
from monitor.recovery.late_results import LateRow

Attributes = Sequence[Mapping[str, Any]]
# Forms of this page: `undo` is a button, and operations that are no repair have pages of their own.
_FORMS = (
    "patch", "accept", "abort", "migrate", "skip_compensation", "complete", "skip", "rollback", "replay",
    "compensate", "merge_late", "discard_late", "branch",
)  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """A way to repair: an operation by its name, with the words of pages for it."""

    name: str

    @property
    def title(self) -> Text:
        return WORDS[self.name].title

    @property
    def effect(self) -> Text:
        return WORDS[self.name].effect

    @property
    def button(self) -> Text:
        return WORDS[self.name].button

    @property
    def operation(self) -> Operation:
        """Return the kernel's description of it: arguments, statuses, permission."""
        return api.operations.table()[self.name]

    @property
    def statuses(self) -> str:
        return self.operation.statuses

    @property
    def of_job(self) -> bool:
        return self.operation.of_job

    @property
    def of_step(self) -> bool:
        return self.operation.of_step

    @property
    def of_late(self) -> bool:
        return self.operation.of_late

    @property
    def of_something(self) -> bool:
        """Return whether it is about a part of the instance, which is chosen elsewhere."""
        return self.of_job or self.of_step or self.of_late

    @property
    def has_values(self) -> bool:
        """Return whether its form has values of attributes; that of `migrate` has none."""
        return self.operation.has_values and self.name != "migrate"

    @property
    def overrides(self) -> bool:
        """Return whether a person may say that it is done although the flow speaks against it."""
        return self.operation.overrides

    @property
    def undoes(self) -> bool:
        """Return whether it undoes steps, also those that have no compensation if a person says so."""
        return self.overrides and self.name != "accept"


CHOICES: dict[str, Choice] = {name: Choice(name) for name in _FORMS}


@dataclass(frozen=True)
class Subject:
    """What a person is about to do: a choice by its name, what it is about, and what may be written."""

    name: str
    choice: Choice
    attributes: Attributes = ()
    job: OpenJob | None = None
    late: LateRow | None = None
    seq: int | None = None
    override: bool = False
    base: Mapping[str, Any] | None = None  # the values before the changes, if not those of the instance
    fixed: Attributes = ()  # what the definition lets no repair write
    token: str = ""  # of a form that makes an instance: sent twice, it makes one

    @property
    def given(self) -> dict[str, str]:
        """Return the parameters by which an address or a form is about the same."""
        numbers = {
            "job": self.job.id if self.job else None,
            "late": self.late.late.id if self.late else None,
            "step": self.seq if self.choice.of_step else None,
        }
        return {"operation": self.name} | {name: str(one) for name, one in numbers.items() if one is not None}

    @property
    def address(self) -> str:
        return urlencode(self.given)

    @property
    def initial(self) -> dict[str, str]:
        """Return the texts with which the fields of its form begin where they are not those of the state."""
        proposed = self.late.proposed if self.late else {}
        return texts(self.attributes, proposed)

    def before(self, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the values that it changes; `state` is the present one."""
        return state if self.base is None else self.base

    def arguments(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the operation of the kernel."""
        found: dict[str, Any] = {"changes": dict(changes)} if self.choice.has_values else {}
        if self.job:
            found["job"] = self.job.id
        if self.choice.of_step:
            found["seq"] = self.seq
        if self.late:
            found["late"] = self.late.late.id
        if self.token:
            found["key"] = f"form {self.token}"
        return found | ({"override": True} if self.choice.overrides and self.override else {})

    def is_possible(self, status: str) -> bool:
        """Return whether an instance of this status has what it is about; the kernel decides the rest."""
        if (self.choice.of_job and not self.job) or (self.choice.of_late and not self.late):
            return False
        if self.choice.of_step and self.seq is None:
            return False
        return status in self.choice.statuses


def tabs(
    offered: Mapping[str, Choice], about: Subject, status: str, *, is_outdated: bool
) -> dict[str, Choice]:
    """Return the ways to repair an exception that need nothing to be chosen before, and what is shown.

    `is_outdated`: the instance is of an earlier version of its definition.
    """
    if status != "E":
        return {}
    able = {name: one for name, one in offered.items() if status in one.statuses and not one.of_something}
    if not is_outdated:
        able.pop("migrate", None)
    return able | {name: one for name, one in offered.items() if name == about.name}


def writable(
    name: str, attributes: Attributes, writes: Sequence[str] | None, internal: Container[str]
) -> list[Mapping[str, Any]]:
    """Return the attributes that a choice may write; `writes`: those of the transition or the
    late result, None for all but those that only the database writes (`internal`)."""
    if not CHOICES[name].has_values:
        return []
    if name in ("complete", "merge_late"):
        if writes is None:
            return [one for one in attributes if one["name"] not in internal]
        return [one for one in attributes if one["name"] in writes]
    return [one for one in attributes if one.get("repairable", True)]
