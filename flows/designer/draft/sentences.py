"""Conditions of a definition, said with the labels of its attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.db import transaction

from flows import api
from flows.definition import condition_sentences
from flows.definition.option_labels import AttributeTitles
from flows.errors import Refused, TooSlow
from flows.labels import translate_label

# Each is a query; a page with more changes shows the others as SQL.
MOST = 60


def reader(*definitions: Mapping[str, Any]) -> Callable[[str], str]:
    """Return a function that says a condition over the attributes of these definitions, the last one first.

    Without labels, and where there is no plain sentence, it is SQL. Needs a transaction that may write.
    """
    attributes = [one for definition in definitions for one in definition.get("attributes", [])]
    types = {str(one.get("name")): one.get("type") or "text" for one in attributes}
    named = [one | {"name": str(one.get("name"))} for one in map(dict, attributes)]
    labels = AttributeTitles.of(named).translated(translate_label)
    labelled = any(one.get("label") or one.get("option_labels") for one in attributes)
    known: dict[str, str] = {}

    def read(condition: str) -> str:
        if condition not in known and len(known) < MOST and labelled:
            known[condition] = _said(condition, types, labels)
        return known.get(condition, condition)

    return read


def _said(condition: str, types: Mapping[str, str], labels: Mapping[str, str]) -> str:
    try:
        with transaction.atomic():
            return condition_sentences.sentence(api.conditions.outline(types, condition), labels)
    except (Refused, TooSlow):
        return condition
