"""What the pages of a flow show of its draft: the definition, its problems, and what the draft changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from django.contrib import admin
from django.db import transaction
from django.http import Http404, HttpRequest
from django.urls import NoReverseMatch, reverse

from flows import api
from flows.access import AnyUser, may, may_add, may_see
from flows.definition.merge import ATTRIBUTE_KEYS, TRIGGER_KEYS, pairs, reordered
from flows.designer.draft import warning_count
from flows.designer.draft.problems import checked
from flows.errors import UnknownDraft
from flows.labels import translate_label
from flows.queries.definitions import FlowInfo, FlowRow, flow_by_id, flow_by_name
from flows.summaries import said
from flows.types import Draft, Problem, Revision


class Seen(NamedTuple):
    """What a page was made from: the revision of a draft that was opened then, or else a running version."""

    version: int
    revision: int = 0
    opened: str = ""

    def __str__(self) -> str:
        return f"{self.version}/{self.revision}/{self.opened}"

    @classmethod
    def of(cls, draft: Draft) -> Seen:
        """Return the revision that a page of this draft was made from."""
        return cls(draft.base_version, draft.revision, draft.created_at.isoformat())

    @classmethod
    def read(cls, text: str) -> Seen | None:
        """Return the values of a form; None if no page can have sent it."""
        version, _one, rest = text.partition("/")
        revision, _two, opened = rest.partition("/")
        if not (_number(version) and _number(revision)):
            return None
        return cls(int(version), int(revision), opened)


def _number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


@dataclass(frozen=True)
class Design:
    """A flow and its draft. A flow that was never published has only a draft; others may have none."""

    name: str
    flow: FlowInfo | FlowRow | None
    draft: Draft | None

    @cached_property
    def running(self) -> tuple[int, dict[str, Any]]:
        return api.drafts.running_definition(self.name)

    @property
    def definition(self) -> dict[str, Any]:
        return self.draft.definition if self.draft else self.running[1]

    @property
    def version(self) -> int:
        """Return the version that runs; 0 if the flow was never published."""
        return self.draft.running_version if self.draft else self.running[0]

    @property
    def title(self) -> str:
        label = self.definition.get("label") if self.draft else self.flow and self.flow.label
        return translate_label(str(label or "")) or self.name

    @property
    def seen(self) -> str:
        return str(Seen.of(self.draft) if self.draft else Seen(self.version))

    @cached_property
    def problems(self) -> list[Problem]:
        """Return the problems of the draft; what runs has none."""
        return checked(self.draft) if self.draft else []

    @cached_property
    def warnings(self) -> int | None:
        """Return how many open warnings the checks found in the draft; None if they did not examine it."""
        return warning_count.known(self.name, self.draft.definition) if self.draft and self.flow else None

    @property
    def checks(self) -> str:
        return self.address("checks")

    @cached_property
    def changes(self) -> int:
        """Return in how many rules, attributes and settings the draft differs from its version."""
        return count_changes(self.draft.base, self.draft.definition) if self.draft else 0

    @cached_property
    def history(self) -> list[Revision]:
        """Return the last saved revisions, the newest first."""
        return api.drafts.history(self.name, limit=20) if self.draft else []

    def address(self, page: str, *more: Any) -> str:
        """Return the address of a page of this flow; a flow that was never published is named in it."""
        which = [self.flow.id] if self.flow else [self.name]
        return reverse(
            f"{admin.site.name}:flows_flow_{'' if self.flow else 'new_'}{page}", args=[*which, *more]
        )

    @property
    def publish(self) -> str:
        """Return the address of the page that publishes the draft; "" where there is none."""
        try:
            return self.address("publish") if self.draft else ""
        except NoReverseMatch:
            return ""


def design_of(request: HttpRequest, flow_id: int | None, name: str | None) -> Design:
    """Return the flow of a page with its draft; raise Http404 without it or the permission to see it."""
    if name is not None:
        flow = flow_by_name(name)
    else:
        flow = flow_by_id(flow_id) if flow_id is not None else None
        name = flow.name if flow else ""
    draft = main_draft(name) if name else None
    if flow is None and draft is None:
        raise Http404
    design = Design(name, flow, draft)
    if not (may_see(request.user, name) if flow else may_edit(request.user, design)):
        raise Http404
    return design


def may_edit(user: AnyUser, design: Design) -> bool:
    """Return whether the user may change the draft; holders of `add_flow` may change that of a new flow."""
    return may(user, "design", design.name) or (design.flow is None and may_add(user))


def main_draft(name: str) -> Draft | None:
    """Return the draft that the pages edit, or None."""
    try:
        with transaction.atomic():
            return api.drafts.read(name)
    except UnknownDraft:
        return None


def by_item(problems: Iterable[Problem], part: str) -> dict[int, dict[str, list[Problem]]]:
    """Return the problems of the rules or attributes, by place and option; "" are those of no option."""
    found: dict[int, dict[str, list[Problem]]] = defaultdict(lambda: defaultdict(list))
    for problem in problems:
        if len(problem.path) > 1 and problem.path[0] == part:
            found[int(problem.path[1])][str(problem.path[2]) if len(problem.path) > 2 else ""].append(problem)
    return found


def of_settings(problems: Iterable[Problem]) -> dict[str, list[Problem]]:
    """Return the problems of the flow's own options, by option; "" are those of the whole definition."""
    found: dict[str, list[Problem]] = defaultdict(list)
    for problem in problems:
        if not problem.path or problem.path[0] not in ("attributes", "triggers") or len(problem.path) == 1:
            found[str(problem.path[0]) if problem.path else ""].append(problem)
    return found


def count_changes(base: Mapping[str, Any], mine: Mapping[str, Any]) -> int:
    """Return the number of settings, attributes and rules that differ; a changed order counts once a list."""
    lists = {"attributes": ATTRIBUTE_KEYS, "triggers": TRIGGER_KEYS}
    names = (set(base) | set(mine)) - set(lists)
    count = sum(base.get(name) != mine.get(name) for name in names)
    for name, keys in lists.items():
        old, new = base[name], mine[name]
        found = pairs(old, new, keys)
        count += len(old) + len(new) - 2 * len(found)
        count += sum(old[there] != new[here] for here, there in found.items())
        count += reordered(old, new, keys)
    return count


class Undo(NamedTuple):
    """What undo and redo would do: the summaries of the changes; None where there is nothing to do."""

    undoes: str | None
    redoes: str | None


def undo_of(design: Design) -> Undo:
    """Return the summaries of the next undo and redo; "" for a change whose summary was deleted."""
    draft = design.draft
    if draft is None or not (draft.can_undo or draft.can_redo):
        return Undo(None, None)
    done, undone = replayed(design.history)
    undoes = (done[-1] if done else "") if draft.can_undo else None
    return Undo(undoes, (undone[-1] if undone else "") if draft.can_redo else None)


def replayed(history: Iterable[Revision]) -> tuple[list[str], list[str]]:
    """Return the summaries of the changes that are done and of those that are undone, the last ones last.

    A revision without a parent is the first one, an undo or a redo.
    """
    done: list[Revision] = []
    undone: list[Revision] = []
    for revision in sorted(history, key=lambda each: each.revision):
        if revision.parent is not None:
            done, undone = [*done, revision], []
        elif revision.summary.startswith("undo "):
            undone += done[-1:]
            done = done[:-1]
        elif revision.summary.startswith("redo "):
            done += undone[-1:]
            undone = undone[:-1]
    return [_said(each) for each in done], [_said(each) for each in undone]


def _said(revision: Revision) -> str:
    return said(revision.summary_parts, revision.summary)
