"""The form of a repair of many instances: what it offers, and the arguments that it asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from flows import api
from flows.capabilities.bulk import queries as bulk_queries
from flows.capabilities.bulk.queries import Chosen
from flows.designer.trial import values
from flows.models import Trigger
from flows.queries.definitions import FlowInfo
from monitor.bulk.sources import text_of
from monitor.recovery.choices import CHOICES, writable
from pages.urlparams import number

MOST_STEPS = 1000


@dataclass(frozen=True)
class Job:
    """A transition with open jobs in some of the instances, and in how many of them."""

    name: str
    title: str
    count: int


@dataclass(frozen=True)
class Form:
    """What a person typed, and what can be chosen.

    `empty` are the attributes that are to be null; `transition` is the one whose job is meant, of `jobs`.
    `sent` has what was sent by field, also for attributes that the form does not have.
    """

    operation: str
    fields: list[values.Field]
    empty: frozenset[str]
    transition: str
    jobs: list[Job]
    steps: str
    override: bool
    hold: bool
    sent: Mapping[str, str]

    @property
    def has_values(self) -> bool:
        """Return whether the operation writes values, and it is known which."""
        return CHOICES[self.operation].has_values and bool(self.transition or self.operation == "patch")

    @property
    def overrides(self) -> bool:
        return CHOICES[self.operation].overrides

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the operation. Raises BadValue."""
        values.check_asked(self.fields if self.has_values else [], self.sent)
        if self.has_values:
            return {"changes": self._changes()}
        found: dict[str, Any] = {"steps": self._steps()} if self.operation == "rollback" else {}
        if self.operation == "rollback" and self.hold:
            found["hold"] = True
        return found | ({"override": True} if self.overrides and self.override else {})

    def _steps(self) -> int:
        found = number(self.steps)
        if found is None or not 1 <= found <= MOST_STEPS:
            raise values.BadValue(
                _("“%(text)s” is no number of steps from 1 to %(most)s.")
                % {"text": self.steps, "most": MOST_STEPS}
            )
        return found

    def _changes(self) -> dict[str, Any]:
        typed = values.changed(self.fields, {})
        for field in self.fields:
            if field.name in self.empty and field.name in typed:
                raise values.BadValue(
                    _("“%(title)s” has a value and is to be empty. Choose one.") % {"title": field.label}
                )
        found = typed | dict.fromkeys(self.empty)
        if self.operation == "patch" and not found:
            raise values.BadValue(_("Enter a value."))
        return found


def form(operation: str, flow: FlowInfo, found: Chosen, given: QueryDict, filled: Mapping[str, Any]) -> Form:
    """Return the form as it was typed, for these instances; with `filled`, the values of a suggestion."""
    jobs = _jobs(flow, found) if CHOICES[operation].of_job else []
    transition = _transition(jobs, given)
    attributes = attributes_of(operation, flow, transition)
    sent = values.posted(given)
    fields = values.named_fields(attributes, {}, sent | values.texts(attributes, filled))
    names = {field.name for field in fields}
    emptied = {f"value-{name}": str(_("empty")) for name in given.getlist("empty") if name not in names}
    return Form(
        operation,
        fields,
        frozenset(given.getlist("empty")) & names,
        transition,
        jobs,
        given.get("steps", "1")[:20],
        given.get("override") == "1",
        given.get("hold") == "1",
        sent | emptied,
    )


def _jobs(flow: FlowInfo, found: Chosen) -> list[Job]:
    titles = flow.transition_titles
    return [Job(name, titles.get(name, name), count) for name, count in bulk_queries.jobs_of(found)]


def _transition(jobs: list[Job], given: Mapping[str, str]) -> str:
    """Return the transition that was chosen, else the one with the most jobs."""
    names = [one.name for one in jobs]
    chosen = text_of(given, "transition")
    return chosen if chosen in names else next(iter(names), "")


def attributes_of(operation: str, flow: FlowInfo, transition: str = "") -> list[Mapping[str, Any]]:
    """Return the attributes that the operation may write."""
    writes: list[str] | None = None
    if operation == "complete":
        found = Trigger.objects.filter(flow__name=flow.name, transition=transition)
        lists = list(found.values_list("writes", flat=True))
        writes = None if None in lists else sorted({name for each in lists for name in each or ()})
    return writable(operation, api.flows.definition(flow.name)["attributes"], writes, flow.internal)
