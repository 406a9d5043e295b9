"""The attributes of the corpus, its cases, and a second opinion on accepted texts: libpg_query's."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pglast
from pglast import ast
from psycopg import Connection, sql

ATTRS = {
    "a1": "text", "a2": "integer", "a3": "text", "a4": "text", "amount": "numeric", "paid": "boolean",
    "due": "date", "seen": "timestamptz", "wait": "interval", "doc": "jsonb", "kind": "enum",
    "created_at": "timestamptz", "updated_at": "timestamptz", "position": "integer", "value": "text",
    "name": "text", "u": "integer",
}  # fmt: skip
ATTRS_JSON = json.dumps(ATTRS)

# The parse tree of a condition may hold these nodes and no others.
NODES = {
    "A_ArrayExpr", "A_Const", "A_Expr", "A_Indices", "A_Indirection", "BoolExpr", "Boolean", "BooleanTest",
    "CaseExpr", "CaseWhen", "CoalesceExpr", "ColumnRef", "Float", "FuncCall", "Integer", "MinMaxExpr",
    "NullTest", "ResTarget", "SelectStmt", "String", "TypeCast", "TypeName",
}  # fmt: skip
TYPES = {
    "text", "varchar", "bpchar", "int2", "int4", "int8", "numeric", "float4", "float8", "bool", "date",
    "time", "timetz", "timestamp", "timestamptz", "interval", "json", "jsonb", "uuid",
}  # fmt: skip
# Functions that PostgreSQL's grammar calls for LIKE, SIMILAR, AT TIME ZONE, TRIM and the like.
GRAMMAR_FUNCTIONS = {
    "btrim", "ltrim", "rtrim", "extract", "position", "substring", "overlay", "timezone", "like_escape",
    "similar_to_escape", "normalize",
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One text of the corpus with what must become of it."""

    text: str
    reason: str = ""
    position: int = 0
    sqlstate: str = ""
    state: dict[str, Any] = field(default_factory=dict)
    answer: Any = None
    sets: dict[str, Any] = field(default_factory=dict)


def cases(name: str) -> list[Case]:
    """The cases of one file of the corpus."""
    path = Path(__file__).with_name(f"{name}.toml")
    return [Case(**entry) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["case"]]


def row_source(state: dict[str, Any]) -> sql.Composed:
    """A one-row source named r with the state's values, each of its attribute's type."""
    columns = []
    for name, kind in ATTRS.items():
        value = state.get(name)
        literal = json.dumps(value) if isinstance(value, dict | list) else value
        kind = "text" if kind == "enum" else kind
        column = sql.SQL("{}::{} as {}")
        columns.append(column.format(sql.Literal(literal), sql.SQL(kind), sql.Identifier(name)))
    return sql.SQL("(select {}) as r").format(sql.SQL(", ").join(columns))


def evaluate(connection: Connection[Any], expression: str, state: dict[str, Any]) -> Any:
    """The value of a rendered expression on a state, computed by the powerless role."""
    with connection.transaction(force_rollback=True):
        connection.execute("set local role wed_eval")
        connection.execute("set local timezone = 'UTC'")
        query = sql.SQL("select ({}) from {}").format(sql.SQL(expression), row_source(state))
        row = connection.execute(query).fetchone()
        assert row is not None
        return row[0]


def syntax(expression: str) -> ast.SelectStmt | None:
    """The statement `select (expression)` as libpg_query reads it; None when that is a syntax error."""
    try:
        statements = pglast.parse_sql(f"select (\n{expression}\n)")
    except pglast.Error:
        return None
    assert len(statements) == 1, expression
    statement = statements[0].stmt
    assert isinstance(statement, ast.SelectStmt), expression
    return statement


def nodes(root: Any) -> Iterator[ast.Node]:
    """Every node of a parse tree."""
    if isinstance(root, ast.Node):
        yield root
        for name in root:
            yield from nodes(getattr(root, name))
    elif isinstance(root, tuple | list):
        for item in root:
            yield from nodes(item)


def complaints(expression: str, functions: set[str]) -> list[str]:
    """What libpg_query finds in an accepted expression that the vocabulary does not allow."""
    statement = syntax(expression)
    if statement is None:
        return []
    found = []
    for part in (
        "fromClause",
        "whereClause",
        "groupClause",
        "sortClause",
        "limitCount",
        "withClause",
        "larg",
    ):
        if getattr(statement, part):
            found.append(f"the statement has {part}")
    if len(statement.targetList or ()) != 1:
        found.append("not exactly one target")
    found += [complaint for node in nodes(statement) for complaint in _node_complaints(node, functions)]
    return found


def _node_complaints(node: ast.Node, functions: set[str]) -> Iterator[str]:
    kind = type(node).__name__
    if kind not in NODES:
        yield f"node {kind}"
    if isinstance(node, ast.FuncCall):
        name = node.funcname[-1].sval
        if name not in functions | GRAMMAR_FUNCTIONS:
            yield f"function {name}"
        decorations = ("agg_star", "agg_distinct", "agg_filter", "agg_order", "over", "func_variadic")
        if any(getattr(node, decoration) for decoration in decorations):
            yield f"decorated call of {name}"
    if isinstance(node, ast.TypeName) and node.names[-1].sval not in TYPES:
        yield f"type {node.names[-1].sval}"
    if isinstance(node, ast.ColumnRef):
        names = [getattr(f, "sval", "*") for f in node.fields]
        if names[0] == "r":
            names = names[1:]
        if len(names) != 1 or names[0] not in ATTRS:
            yield f"column {names}"


def skeleton(expression: str, *, drop_prefix: bool) -> str | None:
    """The parse tree as text without locations; with drop_prefix columns r.x become x.

    The calls that look at moments and zones before they are read are left out.
    """
    statement = syntax(expression)
    if statement is None:
        return None
    if drop_prefix:
        for node in nodes(statement):
            if isinstance(node, ast.ColumnRef):
                assert node.fields[0].sval == "r"
                node.fields = node.fields[1:]
    return json.dumps(_plain(statement), sort_keys=True)


def _plain(item: Any) -> Any:
    if isinstance(item, ast.FuncCall) and item.funcname[0].sval == "wed_match":
        return _plain(item.args[0])
    if isinstance(item, ast.Node):
        names = [name for name in item if not name.endswith(("location", "_start", "_end"))]
        return [type(item).__name__] + [[name, _plain(getattr(item, name))] for name in names]
    if isinstance(item, tuple | list):
        return [_plain(part) for part in item]
    return item if isinstance(item, str | int | float | bool | type(None)) else str(item)
