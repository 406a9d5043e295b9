"""What a block becomes, made of its clauses; None where a clause that it needs is missing or wrong."""

from __future__ import annotations

from lark import Token, Tree

from flows.languages.pdl.clauses import ORDER, Clauses
from flows.languages.pdl.model import (
    FAILED,
    RUNNING,
    Activity,
    Application,
    Datum,
    Deadline,
    Operation,
    Place,
    Ref,
    Rule,
    TaskModel,
    Term,
)

MOST_PRIORITY = 32_767
MOST_RETRIES = 999  # the kernel has at most 1,000 attempts
MOST_HOURS = 876_000  # a hundred years
MOST_DIGITS = 100  # of a number, as in a condition of the kernel
_STATES = {"FAIL": FAILED, "SELECTED": RUNNING, "LOCKED": RUNNING}


def datum(clauses: Clauses, kind: str, place: Place) -> Datum | None:
    """Return a file, query, string or number."""
    values = {}
    for word in (each for each in ORDER[kind.lower()] if each in clauses):
        token = clauses.tokens(word)[0]
        values[word] = str(token) if kind == "NUMBER" else str(token)[1:-1]
        if kind == "NUMBER":
            _check_number(clauses, token)
    complete = len(values) == (2 if kind == "QUERY" else 1)
    return Datum(kind, clauses.id, values, place) if complete else None


def _check_number(clauses: Clauses, token: Token) -> None:
    place = clauses.starts["VALUE"] + (token.start_pos or 0)
    if len(token) > MOST_DIGITS:
        message = f"VALUE has {len(token)} digits; at most {MOST_DIGITS} are read."
        clauses.notes.note("bad_number", message, place, clauses.id)
    elif token.type == "DECIMAL":
        message = f"VALUE {token} is no whole number, as the printed grammar has it."
        clauses.notes.tolerate(message, place, clauses.id)


def activity(clauses: Clauses, model: Ref, is_workflow: bool, place: Place) -> Activity:
    """Return a task or a sub-workflow."""
    roles = clauses.refs("ROLE")
    return Activity(
        clauses.id,
        model,
        _rule_of(clauses),
        clauses.refs("IN_CONTEXT"),
        clauses.refs("OUT_CONTEXT"),
        roles[0].id if roles else "",
        clauses.text("DESCRIPTION"),
        is_workflow,
        place,
    )


def _rule_of(clauses: Clauses) -> Rule | None:
    found = clauses.trees.get("DEPENDS")
    parts = found.children[1:] if found is not None else []
    if found is None or not parts:
        return None
    made = _rule(clauses, parts[0])
    if isinstance(parts[0], Tree) and parts[0].data == "term" and isinstance(made, Term):
        message = f"The rule is read as AND ({made.activity} -> {_printed(made.state)}): it has no operator."
        clauses.notes.tolerate(message, clauses.starts["DEPENDS"], clauses.id)
    return made


def _printed(state: str) -> str:
    return "FAIL" if state == FAILED else state


def _rule(clauses: Clauses, found: Tree[Token] | Token) -> Rule:
    assert isinstance(found, Tree)  # noqa: S101 - both kinds of rules are trees
    first, *rest = found.children
    assert isinstance(first, Token)  # noqa: S101 - an operator, or the id of a term
    if found.data == "operation":
        parts = tuple(_rule(clauses, each) for each in rest)
        return parts[0] if len(parts) == 1 else Operation(first.type, parts)
    state = rest[-1]
    assert isinstance(state, Token)  # noqa: S101 - the last part of a term
    return Term(str(first), _STATES.get(state.type, state.type), clauses.place(first, "DEPENDS"))


def model(clauses: Clauses, place: Place) -> TaskModel | None:
    """Return a model of tasks."""
    priority = clauses.number("PRIORITY", MOST_PRIORITY)
    retries = clauses.number("RETRIES", MOST_RETRIES)
    number = clauses.number("DEADLINE", MOST_HOURS, 1)
    if "TYPE" not in clauses:
        return None
    applications = clauses.refs("APPLICATION")
    unit = clauses.tokens("DEADLINE")[1].type if number is not None else ""
    offline = [token.type for token in clauses.tokens("DISCONNECTED_OPERATION")] == ["TRUE"]
    return TaskModel(
        clauses.id,
        clauses.tokens("TYPE")[0].type,
        applications[0] if applications else None,
        priority or 0,
        Deadline(number, unit) if number is not None else None,
        offline,
        retries,
        place,
    )


def application(clauses: Clauses, place: Place) -> Application | None:
    """Return an application."""
    size = clauses.number("SIZE")
    if size is None or not all(word in clauses for word in ("FILENAME", "OS", "CPU", "HOSTS")):
        return None
    return Application(
        clauses.id,
        clauses.text("FILENAME"),
        size,
        clauses.text("OS"),
        clauses.text("CPU"),
        tuple(str(token)[1:-1] for token in clauses.tokens("HOSTS") if token.type == "TEXT"),
        clauses.text("INSTALLER"),
        "LOAD" in [token.type for token in clauses.tokens("HOSTS")],
        place,
    )
