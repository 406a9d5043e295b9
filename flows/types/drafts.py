"""Drafts of definitions, their revisions, versions and publications."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

MAIN = "main"  # the branch that pages and commands use


class DraftAt(NamedTuple):
    """A revision of a draft, from which a change of it is made."""

    flow: str
    branch: str
    revision: int


@dataclass(frozen=True, slots=True)
class DraftInfo:
    """A draft of a flow's definition without its content.

    `base_version` is the version that it changes, `running_version` the one that runs; 0 is a flow that was
    never published. `revision` grows by one with each save. `closed`: it was published
    and not changed since.
    """

    flow: str
    branch: str
    base_version: int
    running_version: int
    revision: int
    created_at: datetime
    created_by: str
    changed_at: datetime
    changed_by: str
    can_undo: bool
    can_redo: bool
    closed: bool

    @property
    def at(self) -> DraftAt:
        """Return the revision that was read, to make a change from it."""
        return DraftAt(self.flow, self.branch, self.revision)

    @property
    def stale(self) -> bool:
        """Return whether the flow was published after the draft was opened or merged."""
        return self.base_version != self.running_version


@dataclass(frozen=True, slots=True)
class Draft(DraftInfo):
    """A draft with its content, and the definition that it was opened from (`base`)."""

    base: dict[str, Any]
    definition: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Revision:
    """One saved revision of a draft without its content; `parent` is the one that undo returns to.

    `summary_parts` are the template and the facts of a summary in English; it is none of a person.
    """

    revision: int
    at: datetime
    actor: str
    summary: str
    base_version: int
    parent: int | None
    summary_parts: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """One published version of a flow without its definition.

    Without a `publication_id` it was published directly: by SQL, a file, a migration or the admin's form.
    """

    version: int
    at: datetime
    actor: str
    reason: str
    approver: str
    publication_id: int | None


@dataclass(frozen=True, slots=True)
class GroupChoices:
    """What a publication does to groups of living instances; triggers are places in its definition, from 0.

    `withdraw`: jobs of these triggers are withdrawn where their condition does not hold. `later`: where their
    condition was not true before, these triggers fire with the next change of the instance instead of at
    once. `keep_exceptions`: exceptions stay as they are until their next change.
    """

    withdraw: tuple[int, ...] = ()
    later: tuple[int, ...] = ()
    keep_exceptions: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return them as the kernel keeps them."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class PublicationChoices:
    """How a definition is published: why, when (None: as soon as it may), and what happens to instances.

    `prediction` is kept with the publication, to be compared with its report.
    """

    reason: str = ""
    reopen_final: bool = False
    publish_at: datetime | None = None
    prediction: Mapping[str, Any] | None = None
    groups: GroupChoices = GroupChoices()


PublicationStatus = Literal["requested", "approved", "published", "rejected", "withdrawn", "failed"]


@dataclass(frozen=True, slots=True)
class Publication:
    """A request to publish a definition, and what became of it.

    `requested` waits for its approval, `approved` for its time. `definition` is None in lists. `message` is
    why the last try to publish it failed.
    """

    id: int
    flow: str
    branch: str
    revision: int | None
    base_version: int
    reason: str
    reopen_final: bool
    choices: dict[str, Any]
    prediction: dict[str, Any] | None
    publish_at: datetime | None
    status: PublicationStatus
    needs_approval: bool
    requested_by: str
    requested_at: datetime
    decided_by: str | None
    decided_at: datetime | None
    note: str
    version: int | None
    report: dict[str, Any] | None
    tried_at: datetime | None
    sqlstate: str | None
    message: str | None
    definition: dict[str, Any] | None = None
