"""Messages about tasks as pages show them, in the language of their reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as lazy
from django.utils.translation import pgettext_lazy as in_context

from flows.capabilities.tasks.deadlines import Message
from flows.capabilities.tasks.sentences import sentence
from flows.queries.definitions import flow_by_name

Text = str | Promise
KINDS: Mapping[str, Text] = {
    "s": in_context("kind of message", "Start"),
    "e": in_context("kind of message", "End"),
    "f": lazy("Task failed"),
    "d": lazy("Deadline"),
    "o": lazy("Changed by others"),
}


@dataclass(frozen=True)
class MessageRow:
    """A message with its words: the kind, the sender, and the text."""

    message: Message
    kind: Text
    sender: str
    text: str


def rows(found: Iterable[Message]) -> list[MessageRow]:
    """Return messages as pages show them."""
    messages = list(found)
    flows = {name: flow_by_name(name) for name in {one.flow for one in messages}}
    titles = {name: info.title if info else name for name, info in flows.items()}
    return [
        MessageRow(one, KINDS[one.kind], f"{titles[one.flow]} {one.wid or ''}".rstrip(), sentence(one))
        for one in messages
    ]
