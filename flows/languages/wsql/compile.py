"""What each statement of WSQL does to a definition. Names are checked here, everything else by the kernel."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatchmethod
from typing import Any, NoReturn

from django.utils.translation import gettext as _

from flows.languages.wsql.errors import WsqlError, meant, shortened
from flows.languages.wsql.model import CONDITION, TRANSITION, Model
from flows.languages.wsql.tree import (
    CreateAttribute,
    CreateCondition,
    CreateTransition,
    CreateTrigger,
    Defining,
    Enable,
    Piece,
    SetDefault,
    SetFinal,
    SetTimeout,
    plain,
)


class Compiler:
    """Applies the statements of one text to a model."""

    def __init__(self, text: str, model: Model) -> None:
        self.text, self.model = text, model

    def apply(self, statement: Defining) -> None:
        """Change the model as a statement says. Raises WsqlError."""
        for each in plain(statement):
            self._apply(each)

    @singledispatchmethod
    def _apply(self, statement: Defining) -> None:
        raise TypeError(type(statement).__name__)

    @_apply.register
    def _create_attribute(self, statement: CreateAttribute) -> None:
        name = statement.name.text
        if self.model.attribute(name):
            self._refuse(statement.name, _("The flow has an attribute “%(name)s” already."))
        made: dict[str, Any] = {"name": name}
        if statement.type:
            made["type"] = statement.type.text
        if statement.options:
            made["options"] = [each.text for each in statement.options]
        if statement.default and statement.default.value is not None:
            made["default"] = statement.default.value
        place = len(self.model.attributes)
        self.model.attributes.append(made)
        self._written(("attributes", place), statement)
        self._written(("attributes", place, "name"), statement.name)
        self._written(("attributes", place, "default"), statement.default or statement)

    @_apply.register
    def _create_transition(self, statement: CreateTransition) -> None:
        self._need_new(statement.name, TRANSITION, _("The flow has a transition “%(name)s” already."))
        self._make_transition(statement.name, statement.timeout)
        if statement.by_person:
            role = {"role": statement.role.text} if statement.role else {}
            self.model.made[TRANSITION, statement.name.text] |= {"performer": "person", **role}

    @_apply.register
    def _create_condition(self, statement: CreateCondition) -> None:
        self._need_new(statement.name, CONDITION, _("The flow has a condition “%(name)s” already."))
        if statement.final:
            self._need_no_final(statement.name)
        self._make_condition(statement.name, statement.predicate)
        if statement.final:
            self._end_with(statement.name, statement)

    @_apply.register
    def _set_final(self, statement: SetFinal) -> None:
        self._need_no_final(statement.condition)
        self._end_with(statement.condition, statement)

    @_apply.register
    def _create_trigger(self, statement: CreateTrigger) -> None:
        name = statement.name.text if statement.name else self._name_of(statement)
        if any(each.get("name") == name for each in self.model.triggers):
            self._refuse(
                statement.name or statement.condition,
                _("The flow has a trigger “%(name)s” already."),
                name=name,
            )
        if statement.timeout:
            known = _("The flow has a transition “%(name)s” already; leave out WITH TIMEOUT.")
            self._need_new(statement.transition, TRANSITION, known)
            self._make_transition(statement.transition, statement.timeout)
        if statement.predicate:
            known = _("The flow has a condition “%(name)s” already; leave out WITH PREDICATE.")
            self._need_new(statement.condition, CONDITION, known)
            self._make_condition(statement.condition, statement.predicate)
        fired = {"name": name, "transition": statement.transition.text}
        fired |= self._timeout(statement.transition) | self.model.performer(statement.transition.text)
        self._add_trigger(fired, statement.condition, statement)
        place = len(self.model.triggers) - 1
        self._written(("triggers", place, "transition"), statement.transition)
        given = self.model.places.get((TRANSITION, statement.transition.text))
        self._written(("triggers", place, "timeout"), given or statement.transition)

    @_apply.register
    def _set_default(self, statement: SetDefault) -> None:
        names = [each["name"] for each in self.model.attributes]
        place = self._known(statement.attribute, names, _("The flow has no attribute “%(name)s”."))
        self.model.attributes[place]["default"] = statement.value.value
        self._written(("attributes", place, "default"), statement.value)

    @_apply.register
    def _set_timeout(self, statement: SetTimeout) -> None:
        name = statement.transition.text
        self._need_known(statement.transition, TRANSITION)
        stored = self.model.object(TRANSITION, name)
        self.model.made[TRANSITION, name] = {**stored, "timeout": statement.timeout.value}
        self._written((TRANSITION, name), statement.timeout)
        for place in self.model.uses(TRANSITION, name):
            self.model.triggers[place]["timeout"] = statement.timeout.value
            self._written(("triggers", place, "timeout"), statement.timeout)

    @_apply.register
    def _enable(self, statement: Enable) -> None:
        names = [each.get("name") or "" for each in self.model.triggers]
        self._known(statement.trigger, names, _("The flow has no trigger “%(name)s”."))
        for place, name in enumerate(names):
            enabled = self.model.triggers[place].get("enabled", True)
            if name == statement.trigger.text and enabled != statement.enabled:
                self.model.triggers[place]["enabled"] = statement.enabled
                self._written(("triggers", place, "enabled"), statement)

    # -- named objects
    def _make_transition(self, name: Piece, timeout: Piece | None) -> None:
        made = {"timeout": timeout.value} if timeout else {}
        self.model.made[TRANSITION, name.text] = made
        self._written((TRANSITION, name.text), timeout or name)

    def _make_condition(self, name: Piece, predicate: Piece) -> None:
        self.model.made[CONDITION, name.text] = {"predicate": predicate.text}
        self._written((CONDITION, name.text), predicate)

    def _timeout(self, name: Piece) -> dict[str, Any]:
        self._need_known(name, TRANSITION)
        found = self.model.timeouts(name.text)
        if len(found) > 1:
            message = _("Triggers with the transition “%(name)s” have different timeouts.")
            self._refuse(name, message, hint=_("Give them one: UPDATE WED-TRANSITION … SET TIMEOUT …"))
        return dict(found[0])

    def _predicate(self, name: Piece) -> str:
        self._need_known(name, CONDITION)
        found = self.model.predicates(name.text)
        if len(found) > 1:
            message = _("Triggers have different predicates under the name of the condition “%(name)s”.")
            self._refuse(name, message, hint=_("Create the condition with another name."))
        return found[0]

    def _end_with(self, condition: Piece, statement: Defining) -> None:
        self._add_trigger({"final": True}, condition, statement)

    def _add_trigger(self, fired: dict[str, Any], condition: Piece, statement: Defining) -> None:
        predicate = self._predicate(condition)
        self.model.triggers.append(fired | {"condition": condition.text, "predicate": predicate})
        place = len(self.model.triggers) - 1
        self._written(("triggers", place), statement)
        given = self.model.places.get((CONDITION, condition.text))
        self._written(("triggers", place, "predicate"), given or condition)

    def _name_of(self, pair: CreateTrigger) -> str:
        """Return the name of a trigger of the set G that has none."""
        return f"{pair.condition.text}_{pair.transition.text}"

    # -- checks of names
    def _need_new(self, name: Piece, kind: str, message: str) -> None:
        if name.text in self.model.named(kind):
            self._refuse(name, message)

    def _need_known(self, name: Piece, kind: str) -> None:
        messages = {
            CONDITION: _("The flow has no condition “%(name)s”."),
            TRANSITION: _("The flow has no transition “%(name)s”."),
        }
        names = self.model.named(kind)
        if name.text not in names:
            other = CONDITION if kind == TRANSITION else TRANSITION
            hint = meant(name.text, names)
            if name.text in self.model.named(other):
                hint = _(
                    "In G a pair is (condition, transition), in CREATE WED-TRIGGER (transition, condition)."
                )
            self._refuse(name, messages[kind], hint=hint)

    def _need_no_final(self, name: Piece) -> None:
        if any(each.get("final") for each in self.model.triggers):
            message = _("The flow has a final condition already.")
            self._refuse(name, message, hint=_("Several final states are one condition, joined with OR."))

    def _known(self, name: Piece, names: list[str], message: str) -> int:
        """Return the place of a name in the list."""
        if name.text not in names:
            self._refuse(name, message, hint=meant(name.text, names))
        return names.index(name.text)

    def _refuse(self, piece: Piece, message: str, *, hint: str = "", name: str | None = None) -> NoReturn:
        facts = {"name": shortened(piece.text if name is None else name)}
        raise WsqlError(message % facts, self.text, piece.start, end=piece.end, hint=hint)

    def _written(self, path: Iterable[str | int], piece: Any) -> None:
        self.model.places[tuple(path)] = piece
