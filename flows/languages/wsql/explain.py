"""The SQL that a statement of WSQL becomes: what EXPLAIN shows.

Changes of a definition are shown in the paper's form, over wed_attr and wed_trig with the flow's search_path.
They are run together, as one publication; running what is shown has the same effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from flows import json_text
from flows.definition import ATTRIBUTE, FLOW, TRIGGER, Options
from flows.definition.literals import literal, quoted
from flows.languages.wsql import lists
from flows.languages.wsql.model import Model
from flows.languages.wsql.tree import CreateFlow, CreateInstance, List, Piece, Statement

DEFAULT_TIMEOUT = "01:00:00"  # of a flow that WSQL creates, as its draft says


def of_definition(before: Model, after: Model) -> Iterator[str]:
    """Return the SQL of what differs between two models, with the named objects."""
    yield from of_parts(before, after)
    made = {key: each for key, each in after.made.items() if before.made.get(key) != each}
    if made:
        objects = [{"kind": kind, "name": name, "content": each} for (kind, name), each in made.items()]
        yield f"SELECT wedsql.save_named_objects({literal(after.flow)}, {_json(objects)});"


def of_parts(before: Model, after: Model) -> Iterator[str]:
    """Return the SQL of the options, attributes and triggers that differ between two models."""
    settings = {name: after.definition[name] for name in FLOW if _differs(name, before, after)}
    if settings:
        change, name = _assignments(settings, FLOW), literal(after.flow)
        yield f"UPDATE wedsql.flow SET {change} WHERE name = {name};"  # noqa: S608 - to be read
    for place, attribute in enumerate(after.attributes):
        if place >= len(before.attributes):
            yield _insert("wed_attr", attribute, ATTRIBUTE)
        elif attribute != before.attributes[place]:
            yield _update("wed_attr", before.attributes[place], attribute, ATTRIBUTE, "aname", "name")
    for place, trigger in enumerate(after.triggers):
        if place >= len(before.triggers):
            yield _insert("wed_trig", trigger, TRIGGER)
        elif trigger != before.triggers[place]:
            yield _update("wed_trig", before.triggers[place], trigger, TRIGGER, *_key(trigger))


def of_other(statement: Statement, flow: str, state: Mapping[str, Any] | None = None) -> Iterator[str]:
    """Return the SQL of a statement that changes no definition."""
    if isinstance(statement, CreateFlow):
        name = literal(statement.name.text)
        yield f"SELECT wedsql.create_flow({name});"
        change = f"default_timeout = {literal(DEFAULT_TIMEOUT)}"
        yield f"UPDATE wedsql.flow SET {change} WHERE name = {name};"  # noqa: S608 - to be read
        if statement.password:
            yield f"SELECT wedsql.open_flow_role({name});"
            yield f"ALTER ROLE {_identifier(statement.name)} PASSWORD '…';"
    elif isinstance(statement, CreateInstance):
        call = f"wedsql.start_many({literal(flow)}, array[{_json(state or {})}])"
        yield f"SELECT wid, status FROM {call};"  # noqa: S608 - to be read
    elif isinstance(statement, List):
        values = {name: literal(value) for name, value in lists.parameters(statement, flow).items()}
        yield lists.query(statement) % values + ";"


def _differs(name: str, before: Model, after: Model) -> bool:
    return before.definition.get(name) != after.definition.get(name)


def _insert(table: str, row: Mapping[str, Any], options: Options) -> str:
    given = {name: row[name] for name in options if name in row}
    names = ", ".join(options.columns(given))
    values = ", ".join(_literal(name, value) for name, value in given.items())
    return f"INSERT INTO {table} ({names}) VALUES ({values});"  # noqa: S608 - to be read


def _update(
    table: str, old: Mapping[str, Any], new: Mapping[str, Any], options: Options, column: str, key: str
) -> str:
    changed = {name: new[name] for name in options if name in new and new[name] != old.get(name)}
    change, where = _assignments(changed, options), f"{column} = {literal(new[key])}"
    return f"UPDATE {table} SET {change} WHERE {where};"  # noqa: S608 - to be read


def _key(trigger: Mapping[str, Any]) -> tuple[str, str]:
    """Return the column and the option that identify a trigger."""
    return ("tgid", "id") if "id" in trigger else ("tgname", "name")


def _assignments(values: Mapping[str, Any], options: Options) -> str:
    pairs = zip(options.columns(values), values.items(), strict=True)
    return ", ".join(f"{column} = {_literal(name, value)}" for column, (name, value) in pairs)


def _literal(name: str, value: Any) -> str:
    return quoted(value) if name == "predicate" else literal(value)


def _json(value: Any) -> str:
    return f"{literal(json_text.encode(value))}::jsonb"


def _identifier(name: Piece) -> str:
    return '"' + name.text.replace('"', '""') + '"'
