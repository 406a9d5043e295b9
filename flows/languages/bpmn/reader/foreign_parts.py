"""Parts of a process that have no effect: those of other programs, and descriptions for readers."""

from __future__ import annotations

from collections.abc import Iterator

from flows.languages.bpmn.document.elements import is_read, unread_attributes
from flows.languages.bpmn.document.vocabulary import MODEL, OWN, SCHEMA, UNUSED
from flows.languages.bpmn.document.xml import Tag
from flows.languages.bpmn.reader.loops import Used


def unused(process: Tag, used: Used) -> Iterator[tuple[Tag, str]]:
    """Return the elements with something that has no effect, and its name."""
    pending = [(process, process, process)]
    while pending:
        tag, within, owner = pending.pop()
        owner = tag if tag.id and tag.space == MODEL else owner
        if tag.space not in (MODEL, OWN):
            known = tag.name == "properties" or tag.get("name").startswith("wedsql.")
            if not known and (id(tag), "") not in used:
                yield owner, tag.name
                continue
        elif (tag.name in UNUSED or tag.space == OWN) and (id(tag), "") not in used:
            yield owner, tag.name
        elif tag.space == MODEL and tag is not process and not is_read(tag, within):
            yield within if within.id else owner, tag.name
            continue
        else:
            for space, name in tag.attributes:
                known = space in ("", OWN, SCHEMA) or (id(tag), name) in used
                if not known:
                    yield owner, name
            yield from ((owner, name) for name in unread_attributes(tag, within))
        pending += [(each, tag, owner) for each in reversed(tag.children)]
