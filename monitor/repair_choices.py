"""The ways to repair an instance that a page offers, and what each is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from flows.queries.jobs import OpenJob

Text = str | Promise
Attributes = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Choice:
    """A way to repair: `of_job`: a job of the instance; `has_values`: it writes values of attributes."""

    title: Text
    effect: Text
    button: Text
    of_job: bool = False
    has_values: bool = True


CHOICES: dict[str, Choice] = {
    "patch": Choice(
        _("New values"),
        _("The instance gets the values, and every condition is evaluated as after any other step."),
        _("Apply"),
    ),
    "accept": Choice(
        _("Accept as it is"),
        _("The instance becomes final with the values that it has, and what is pending is withdrawn."),
        _("Accept"),
        has_values=False,
    ),
    "complete": Choice(
        _("Enter the result of a job"),
        _("The result is recorded as if the worker of the job had delivered it, with your name."),
        _("Record the result"),
        of_job=True,
    ),
}


@dataclass(frozen=True)
class Subject:
    """What a person is about to do: a choice by its name, the job that it is about, what may be written."""

    name: str
    choice: Choice
    job: OpenJob | None
    attributes: Attributes

    def arguments(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the operation of the kernel."""
        found: dict[str, Any] = {"changes": dict(changes)} if self.choice.has_values else {}
        return found | ({"job": self.job.id} if self.job else {})

    def is_possible(self, status: str) -> bool:
        """Return whether an instance of this status has what it is about; the kernel decides the rest."""
        return self.job is not None if self.choice.of_job else status == "E"


def subject(name: str, attributes: Attributes, job: OpenJob | None, writes: Sequence[str] | None) -> Subject:
    """Return the subject of a choice with the attributes of the flow that the operation may write.

    `writes` are those that the transition of the job may write; None for all.
    """
    choice = CHOICES[name]
    if not choice.has_values:
        return Subject(name, choice, job, [])
    if not choice.of_job:
        return Subject(name, choice, None, [one for one in attributes if one.get("repairable", True)])
    return Subject(name, choice, job, [one for one in attributes if writes is None or one["name"] in writes])
