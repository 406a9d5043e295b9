"""The ways to repair an instance that a page offers, and what each is about."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from flows.designer.values import texts
from flows.queries.jobs import OpenJob
from monitor.recovery.late_results import LateRow

Text = str | Promise
Attributes = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Choice:
    """A way to repair.

    `of_job`, `of_step`, `of_late`: it is about a job, a step or a late result of the instance; `has_values`:
    it writes values of attributes; `undoes`: it undoes steps, also those for which the flow has no
    compensation if a person says so; `statuses`: of instances for which it is offered.
    """

    title: Text
    effect: Text
    button: Text
    of_job: bool = False
    of_step: bool = False
    of_late: bool = False
    has_values: bool = False
    undoes: bool = False
    statuses: str = "E"

    @property
    def of_something(self) -> bool:
        """Return whether it is about a part of the instance, which is chosen elsewhere."""
        return self.of_job or self.of_step or self.of_late

    @property
    def overrides(self) -> bool:
        """Return whether a person may say that it is done although the flow speaks against it."""
        return self.undoes or self is CHOICES["accept"]


CHOICES: dict[str, Choice] = {
    "patch": Choice(
        _("New values"),
        _("The values are written. Then the instance goes on with each rule that applies."),
        _("Apply"),
        has_values=True,
    ),
    "accept": Choice(
        _("Accept as it is"),
        _("The instance becomes final with the values that it has, and what is pending is withdrawn."),
        _("Accept"),
    ),
    "abort": Choice(
        _("Undo all steps"),
        _("Every step is undone, the last one first, and the instance ends as aborted."),
        _("Undo all steps"),
        undoes=True,
        statuses="ER",
    ),
    "migrate": Choice(
        _("Move to the present definition"),
        _(
            "If the present rules explain every step, this is only noted. Else the steps from the first one"
            " that they do not explain are undone and replayed."
        ),
        _("Move"),
        undoes=True,
        statuses="ER",
    ),
    "skip_compensation": Choice(
        _("Go on without a compensation"),
        _("The compensation that waits is left out, and the next one follows."),
        _("Go on"),
        statuses="X",
    ),
    "complete": Choice(
        _("Enter the result of a job"),
        _("The result is recorded as if the worker of the job had delivered it, with your name."),
        _("Record the result"),
        of_job=True,
        has_values=True,
        statuses="ER",
    ),
    "skip": Choice(
        _("Skip a job"),
        _("The job is removed. Its rule fires again only after its condition has been false."),
        _("Skip"),
        of_job=True,
        has_values=True,
        statuses="ER",
    ),
    "rollback": Choice(
        _("Roll back to a step"),
        _("The steps after this one are undone, the last one first. Then the instance goes on from here."),
        _("Roll back"),
        of_step=True,
        undoes=True,
        statuses="ER",
    ),
    "replay": Choice(
        _("Roll back to a step and replay"),
        _(
            "The steps after this one are undone. Then rules whose values are as they were get their recorded"
            " results again, and workers perform only what changed."
        ),
        _("Roll back and replay"),
        of_step=True,
        has_values=True,
        undoes=True,
        statuses="ER",
    ),
    "compensate": Choice(
        _("Undo a step"),
        _("This step is undone, and the steps that depend on it; others keep their values and jobs."),
        _("Undo the step"),
        of_step=True,
        undoes=True,
        statuses="ER",
    ),
    "merge_late": Choice(
        _("Take a late result over"),
        _("The values are written. Then the instance goes on with each rule that applies."),
        _("Take over"),
        of_late=True,
        has_values=True,
        statuses="ER",
    ),
    "discard_late": Choice(
        _("Discard a late result"),
        _("The instance stays as it is. The result is kept with your reason, and waits no longer."),
        _("Discard"),
        of_late=True,
        statuses="ERFSXAC",
    ),
    "branch": Choice(
        _("Start again from a step"),
        _("A new instance begins with the state of this step. This one stays as it is."),
        _("Start a new instance"),
        of_step=True,
        statuses="ERFSXAC",
    ),
}


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
