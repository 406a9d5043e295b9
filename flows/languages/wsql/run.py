"""Runs the statements of a WSQL text: those between two commits in one transaction and one publication."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import DatabaseError, transaction
from django.utils.translation import gettext as _

from flows import api, json_text
from flows.database_errors import from_database
from flows.errors import Refused, StaleBase, UnknownFlow, WedError
from flows.languages.wsql import explain
from flows.languages.wsql.check import at_statement, check
from flows.languages.wsql.compile import Compiler
from flows.languages.wsql.errors import WsqlError
from flows.languages.wsql.lists import Listed, listed
from flows.languages.wsql.model import Model
from flows.languages.wsql.parse import parse
from flows.languages.wsql.tree import (
    CreateFlow,
    CreateInstance,
    Defining,
    Explain,
    List,
    Statement,
)
from flows.languages.wsql.units import Unit, units
from flows.types import Publication


@dataclass(frozen=True)
class Outcome:
    """What a statement did: a line, the rows of a list, or the SQL that it becomes."""

    statement: Statement | None
    line: str = ""
    listed: Listed | None = None
    sql: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass
class Session:
    """The flow to which statements apply, and who is recorded as their author."""

    flow: str = ""
    actor: str = ""
    reason: str = "WSQL"

    def run(self, text: str, *, dry_run: bool = False) -> Iterator[list[Outcome]]:
        """Run a text; yield the outcomes of each transaction after its commit. Raises WsqlError.

        Nothing is run if the text has an error of syntax. With `dry_run` all of it is rolled back at the end.
        """
        found = units(text, parse(text))
        if not dry_run:
            yield from (self._unit(text, unit) for unit in found)
            return
        flow = self.flow
        try:
            with transaction.atomic():
                yield from (self._unit(text, unit) for unit in found)
                transaction.set_rollback(True)
        finally:
            self.flow = flow

    def _unit(self, text: str, unit: Unit) -> list[Outcome]:
        """Run one transaction."""
        running, flow = _Running(self, text), self.flow
        try:
            with transaction.atomic():
                outcomes = running.unit(unit)
                if unit.rolled_back:
                    transaction.set_rollback(True)
        except (WedError, DatabaseError) as error:
            self.flow = flow
            if isinstance(error, WsqlError):
                raise
            found = error if isinstance(error, WedError) else from_database(error) or Refused(str(error))
            raise running.located(found) from error
        if unit.rolled_back:
            self.flow = flow
            done = [each for each in outcomes if each.statement]  # without the version that was not kept
            return [*done, Outcome(None, _("Nothing of this block was kept."), facts={"kept": False})]
        return outcomes


class _Running:
    """One transaction of a text."""

    def __init__(self, session: Session, text: str) -> None:
        self.session, self.text = session, text
        self.outcomes: list[Outcome] = []
        self.model: Model | None = None
        self.first: Statement | None = None  # of those that are not yet published
        self.current: Statement | None = None

    def unit(self, unit: Unit) -> list[Outcome]:
        """Run the statements of a unit and publish what they define."""
        for statement in unit.statements:
            self.current = statement
            self._statement(statement)
        self._publish()
        return self.outcomes

    def located(self, error: WedError) -> WedError:
        """Return an error at the statement that was running; a trouble of the server has no place."""
        if self.current is None or not isinstance(error, Refused):
            return error
        return at_statement(self.text, self.current, error)

    def _statement(self, statement: Statement) -> None:
        if isinstance(statement, Defining):
            self.first = self.first or statement
            Compiler(self.text, self._model()).apply(statement)
            self._say(statement)
        elif isinstance(statement, Explain):
            self.outcomes.append(Outcome(statement, sql=tuple(self._explained(statement.statement))))
        elif isinstance(statement, CreateFlow):
            self._publish()
            self._create_flow(statement)
        else:
            self._publish()
            self._need_flow()
            if isinstance(statement, CreateInstance):
                self._create_instance(statement)
            elif isinstance(statement, List):
                found = listed(statement, self.session.flow)
                self.outcomes.append(Outcome(statement, listed=found))

    def _model(self) -> Model:
        if self.model is None:
            self._need_flow()
            self.model = Model.read(self.session.flow)
        return self.model

    def _need_flow(self) -> None:
        flow = self.session.flow
        if not flow:
            raise UnknownFlow(_("No flow is chosen."), hint=_("Name one, or begin with CREATE WED-FLOW."))
        api.drafts.named_objects(flow)  # raises UnknownFlow

    def _publish(self) -> None:
        """Publish what the statements since the last publication define, and store their named objects."""
        model, first = self.model, self.first
        self.model = self.first = None
        if model is None or first is None:
            return
        self.current = first
        check(self.text, model, first)
        if model.changed:
            actor, reason = self.session.actor, self.session.reason
            done = api.publications.submit(
                model.flow, model.definition, reason=reason, actor=actor, numbered=True
            )
            if done.base_version > model.version:
                raise StaleBase(
                    _("Another version of the flow was published in the meantime."), hint=_("Run it again.")
                )
            self.outcomes.append(_became(done))
        if model.made:
            api.drafts.save_named_objects(model.flow, model.made, actor=self.session.actor)

    def _create_flow(self, statement: CreateFlow) -> None:
        name = statement.name.text
        api.flows.create(name)
        self.session.flow = name
        self.first, self.model = statement, Model.read(name)
        self.model.definition["default_timeout"] = explain.DEFAULT_TIMEOUT
        if statement.password:
            api.flows.open_role(name, statement.password.text)
        self._say(statement)

    def _create_instance(self, statement: CreateInstance) -> None:
        state = self._state(statement, Model.read(self.session.flow))
        (result,) = api.instances.start_many(self.session.flow, [state], actor=self.session.actor)
        if result.error is not None:
            raise self._of_value(statement, result.error)
        facts = {"wid": result.wid, "status": result.status}
        self.outcomes.append(Outcome(statement, f"CREATE INSTANCE {result.wid}", facts=facts))

    def _state(self, statement: CreateInstance, model: Model) -> dict[str, Any]:
        """Return the state of a new instance; JSON is parsed, everything else the database reads."""
        state: dict[str, Any] = {}
        for name, value in statement.assignments:
            known = model.types.get(name.text)
            try:
                parse_it = known == "jsonb" and value.value is not None
                state[name.text] = json_text.decode(value.text) if parse_it else value.value
            except (ValueError, RecursionError) as error:
                message = _("This is not JSON: %(why)s.") % {"why": error}
                raise WsqlError(message, self.text, value.start, end=value.end) from error
        return state

    def _of_value(self, statement: CreateInstance, error: WedError) -> WsqlError:
        """Return an error of a start at the value that it is about."""
        about = error.where.get("attribute")
        for name, value in statement.assignments:
            if name.text == about:
                known = name.text in Model.read(self.session.flow).types
                piece = value if known else name
                return WsqlError(
                    error.message, self.text, piece.start, end=piece.end, hint=error.hint, error=error
                )
        return at_statement(self.text, statement, error)

    def _explained(self, statement: Statement) -> Iterator[str]:
        if isinstance(statement, Defining):
            before = self._model()
            after = before.copied()
            Compiler(self.text, after).apply(statement)
            yield from explain.of_definition(before, after)
            return
        if not isinstance(statement, CreateFlow):
            self._need_flow()
        state = self._state(statement, self._model()) if isinstance(statement, CreateInstance) else None
        yield from explain.of_other(statement, self.session.flow, state)

    def _say(self, statement: Statement) -> None:
        """Add the line of a statement that has no rows: its first words."""
        self.outcomes.append(Outcome(statement, _tag(self.text[statement.start : statement.end])))


def source(text: str, statement: Statement) -> str:
    """Return the text of a statement; a password in it is left out."""
    made = statement.statement if isinstance(statement, Explain) else statement
    if isinstance(made, CreateFlow) and made.password:
        return f"{text[statement.start : made.password.start]}'…'"
    return text[statement.start : statement.end]


def _tag(text: str) -> str:
    """Return the first words of a statement up to a name, in one line."""
    words = text.split()
    most = 4 if words[1:2] and words[1].lower() == "final" else 3
    return " ".join(words[:most]).rstrip("(,;{ ") if words else ""


def _became(done: Publication) -> Outcome:
    """Return the outcome of submitting a definition."""
    if done.version is None:
        line = _("Publication %(id)s waits for approval.") % {"id": done.id}
        return Outcome(None, line, facts={"flow": done.flow, "publication": done.id})
    facts = {"flow": done.flow, "version": done.version}
    return Outcome(None, _("Flow %(flow)s is at version %(version)s.") % facts, facts=facts)
