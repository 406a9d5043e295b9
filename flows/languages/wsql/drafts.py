"""Statements of WSQL applied to a draft: checked, shown as SQL, and not published."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from flows import api
from flows.languages.wsql.check import problems
from flows.languages.wsql.compile import Compiler
from flows.languages.wsql.errors import WsqlError, shortened
from flows.languages.wsql.explain import of_parts
from flows.languages.wsql.model import CONDITION, Model
from flows.languages.wsql.parse import parse
from flows.languages.wsql.tree import Block, Defining, Statement


@dataclass(frozen=True)
class Applied:
    """What statements made of a draft: its definition, and each statement with the SQL that it becomes.

    A condition or a transition alone has none: it is part of the triggers that have it.
    """

    definition: dict[str, Any]
    statements: tuple[tuple[str, str], ...]


def apply_to_draft(text: str, flow: str, definition: dict[str, Any]) -> Applied:
    """Return the definition of a draft as the statements change it, checked. Raises WsqlError.

    Only what the text wrote is checked: a draft may have other problems.
    """
    stored = api.drafts.named_objects(flow) if api.drafts.running_definition(flow)[0] else {}
    model = Model(flow, 0, copy.deepcopy(definition), stored, original=definition)
    compiler = Compiler(text, model)
    found = []
    for statement in filter(_is_run, parse(text)):
        if not isinstance(statement, Defining):
            raise _refused(text, statement)
        before = model.copied()
        compiler.apply(statement)
        shown = "\n".join(of_parts(before, model))
        found.append((text[statement.start : statement.end], shown))
    _need_triggers(text, model)
    wrong = problems(text, model)
    if wrong:
        raise wrong
    return Applied(model.definition, tuple(found))


def _is_run(statement: Statement) -> bool:
    """Return whether a statement is more than the limit of a block: what is saved is one change anyway."""
    return not isinstance(statement, Block) or statement.word == "rollback"


def _refused(text: str, statement: Statement) -> WsqlError:
    return WsqlError(
        _("This statement does not change the definition, so it cannot stand here."),
        text,
        statement.start,
        end=statement.end,
        hint=_("Run it with manage.py wsql."),
    )


def _need_triggers(text: str, model: Model) -> None:
    """Reject conditions and transitions without a trigger, which no draft can keep."""
    for kind, name in model.made:
        if not model.uses(kind, name):
            message = _("No trigger has the transition “%(name)s”, and a draft has triggers only.")
            if kind == CONDITION:
                message = _("No trigger has the condition “%(name)s”, and a draft has triggers only.")
            place = model.places[kind, name]
            raise WsqlError(message % {"name": shortened(name)}, text, place.start, end=place.end)
