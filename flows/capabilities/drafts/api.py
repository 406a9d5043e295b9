"""Drafts of definitions: open, read, save, undo, merge with what was changed meanwhile, discard."""

from __future__ import annotations

from typing import Any

from flows.definition import AnyDefinition
from flows.definition.merge import Merge, merge
from flows.definition.shape import shaped
from flows.statements import JSON, designed, read_as, rows, value
from flows.summaries import Summary
from flows.types import MAIN, Draft, DraftAt, DraftInfo, Revision, Version


def open_draft(
    flow: str,
    branch: str = MAIN,
    *,
    definition: AnyDefinition | None = None,
    version: int | None = None,
    summary: str | Summary = "",
    actor: str = "",
    conn: Any = None,
) -> Draft:
    """Open a draft of the running definition, of a given one, or of a version; the flow may not exist yet.

    Raises DraftExists, DraftLimit, BadName, BadDefinition, UnknownVersion.
    """
    if version is not None:
        definition = version_definition(flow, version, conn=conn)
    given = None if definition is None else JSON(definition)
    text, parts = _summary(summary)
    call = "select wedsql.open_draft(%s, %s, %s, %s, %s, %s)"
    return read_as(Draft, value(conn, call, (flow, branch, given, text, actor, parts)))


def read_draft(flow: str, branch: str = MAIN, *, conn: Any = None) -> Draft:
    """Return a draft with its content. Raises UnknownDraft."""
    return read_as(Draft, value(conn, "select wedsql.read_draft(%s, %s)", (flow, branch)))


def list_drafts(flow: str | None = None, *, conn: Any = None) -> list[DraftInfo]:
    """Return the drafts of a flow, or of all flows, the one that was changed last first.

    Raises UnknownFlow where nothing has this name.
    """
    found = [read_as(DraftInfo, each) for (each,) in rows(conn, "select wedsql.list_drafts(%s)", (flow,))]
    return found if flow is None else designed(flow, found, conn)


def save_draft(
    at: DraftAt,
    definition: AnyDefinition,
    *,
    summary: str | Summary = "",
    base_version: int | None = None,
    actor: str = "",
    conn: Any = None,
) -> DraftInfo:
    """Save a change that was made from a revision. With `base_version` it was merged with that version.

    Saving what is saved already changes nothing. Raises UnknownDraft, StaleDraft, StaleBase, BadDefinition,
    DraftLimit.
    """
    text, parts = _summary(summary)
    call = "select wedsql.save_draft(%s, %s, %s, %s, %s, %s, %s, %s)"
    found = value(conn, call, (*at, JSON(definition), text, base_version, actor, parts))
    return read_as(DraftInfo, found)


def _summary(summary: str | Summary) -> tuple[str, Any]:
    """Return the text of a summary, in English if it has parts, and its parts."""
    return (summary, None) if isinstance(summary, str) else (summary.english, JSON(summary.parts))


def undo_draft(at: DraftAt, *, actor: str = "", conn: Any = None) -> Draft:
    """Undo the last change that is not undone. Raises UnknownDraft, StaleDraft, NothingToUndo."""
    return read_as(Draft, value(conn, "select wedsql.undo_draft(%s, %s, %s, false, %s)", (*at, actor)))


def redo_draft(at: DraftAt, *, actor: str = "", conn: Any = None) -> Draft:
    """Redo the change that was undone last. Raises UnknownDraft, StaleDraft, NothingToUndo."""
    return read_as(Draft, value(conn, "select wedsql.undo_draft(%s, %s, %s, true, %s)", (*at, actor)))


def discard_draft(at: DraftAt, *, conn: Any = None) -> None:
    """Delete a draft with its revisions. Raises UnknownDraft, StaleDraft."""
    value(conn, "select wedsql.discard_draft(%s, %s, %s)", at)


def draft_history(
    flow: str, branch: str = MAIN, *, before: int | None = None, limit: int = 50, conn: Any = None
) -> list[Revision]:
    """Return the kept revisions of a draft before `before`, the newest first. Raises UnknownDraft."""
    found = rows(conn, "select wedsql.draft_history(%s, %s, %s, %s)", (flow, branch, before, limit))
    return [read_as(Revision, each) for (each,) in found]


def draft_revision(at: DraftAt, *, conn: Any = None) -> dict[str, Any]:
    """Return the content of one revision of a draft. Raises UnknownDraft."""
    return value(conn, "select wedsql.draft_revision(%s, %s, %s)", at)


def merge_draft(at: DraftAt, definition: AnyDefinition, *, conn: Any = None) -> tuple[Merge, DraftAt]:
    """Merge a change made from a revision with the present one; return the result and the present revision.

    Call it after StaleDraft; without conflicts, save the merged definition from the returned revision.
    Raises UnknownDraft also where the revision is not kept any more.
    """
    draft = read_draft(at.flow, at.branch, conn=conn)
    return merge(draft_revision(at, conn=conn), shaped(definition, whole=False), draft.definition), draft.at


def merge_running(draft: Draft, *, conn: Any = None) -> tuple[Merge, int]:
    """Merge a draft with the running definition; return the result and the running version.

    Call it after StaleBase; save the merged definition with the returned version as `base_version`.
    """
    version, theirs = running_definition(draft.flow, conn=conn)
    return merge(draft.base, draft.definition, theirs), version


def running_definition(flow: str, *, conn: Any = None) -> tuple[int, dict[str, Any]]:
    """Return the running version and its definition with the numbers (`id`) of attributes and triggers.

    For a flow that does not exist: 0 and an empty definition.
    """
    found = value(conn, "select wedsql.running_definition(%s)", (flow,))
    return found["version"], found["definition"]


def numbered(known: AnyDefinition, definition: AnyDefinition, *, conn: Any = None) -> dict[str, Any]:
    """Return a definition without numbers (from a file) with those of the items of `known` that it has.

    Raises BadDefinition, DraftLimit.
    """
    return value(conn, "select wedsql.numbered(%s, %s)", (JSON(known), JSON(definition)))


def renamed_triggers(
    definition: AnyDefinition, old: str, new: str, *, conn: Any = None
) -> list[dict[str, Any]]:
    """Return the triggers of a definition for a new name of its attribute `old`.

    Conditions, write-sets and due attributes follow. A condition that cannot be rewritten is unchanged, and
    so is everything if another attribute has one of the names. Raises BadDefinition, DraftLimit.
    """
    return value(conn, "select wedsql.renamed_triggers(%s, %s, %s)", (JSON(definition), old, new))


def version_definition(flow: str, version: int, *, conn: Any = None) -> dict[str, Any]:
    """Return the definition of a version, with the numbers of what runs of it. Raises UnknownVersion."""
    return value(conn, "select wedsql.version_definition(%s, %s)", (flow, version))


def list_versions(
    flow: str, *, before: int | None = None, limit: int = 50, conn: Any = None
) -> list[Version]:
    """Return the versions of a flow before `before`, the newest first. Raises UnknownFlow."""
    found = rows(conn, "select wedsql.list_versions(%s, %s, %s)", (flow, before, limit))
    return [read_as(Version, each) for (each,) in found]


def restore_version(at: DraftAt, version: int, *, actor: str = "", conn: Any = None) -> DraftInfo:
    """Make the definition of a version the content of a draft. Raises UnknownVersion, StaleDraft."""
    definition = version_definition(at.flow, version, conn=conn)
    summary = Summary("version %(version)s again", {"version": version})
    return save_draft(at, definition, summary=summary, actor=actor, conn=conn)
