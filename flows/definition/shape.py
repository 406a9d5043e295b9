"""The outer form of a definition, for what reads one in Python: the kernel checks it where it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows.errors import BadDefinition

_OBJECT = 'A definition is an object with the lists "attributes" and "triggers".'
_ITEM = "Each attribute and each trigger of a definition is an object."
_NAME = "Each attribute of a definition has a text as its name."
_TEXT = "The condition and the transition of each trigger of a definition are texts."


def shaped(definition: Any, *, whole: bool = True) -> Mapping[str, Any]:
    """Return a definition whose attributes and triggers can be read.

    Args:
        definition: what a client gave.
        whole: whether each trigger needs its condition, which it may lack in a draft.

    Raises:
        BadDefinition: it, or one of them, is of another form.
    """
    if not isinstance(definition, Mapping):
        raise BadDefinition(_OBJECT)
    attributes, triggers = (definition.get(name) for name in ("attributes", "triggers"))
    if not (isinstance(attributes, (list, tuple)) and isinstance(triggers, (list, tuple))):
        raise BadDefinition(_OBJECT)
    if not all(isinstance(one, Mapping) for one in (*attributes, *triggers)):
        raise BadDefinition(_ITEM)
    if not all(isinstance(one.get("name"), str) for one in attributes):
        raise BadDefinition(_NAME)
    condition = (str,) if whole else (str, type(None))
    if not all(
        isinstance(one.get("predicate"), condition) and isinstance(one.get("transition"), (str, type(None)))
        for one in triggers
    ):
        raise BadDefinition(_TEXT)
    return definition
