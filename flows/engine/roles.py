"""The database role of a flow, for clients in plain SQL."""

from __future__ import annotations

from typing import Any

from psycopg import sql

from flows.engine.connection import driver, run, value
from flows.errors import BadName


def open_flow_role(flow: str, password: str = "", *, conn: Any = None) -> str:
    """Create the log-in role of a flow, for clients in plain SQL, and return its name; needs CREATEROLE.

    The password is sent as the verifier that PostgreSQL stores, so that no log of the server has it.
    Raises UnknownFlow, BadName.
    """
    try:
        given = password.encode()
    except UnicodeEncodeError as error:
        raise BadName("The password is no text in UTF-8.") from error
    role = str(value(conn, "select wedsql.open_flow_role(%s)", (flow,)))
    if password:
        encrypt = driver(conn).pgconn.encrypt_password
        verifier = encrypt(given, role.encode(), b"scram-sha-256").decode()
        change = sql.SQL("alter role {} password {}").format(sql.Identifier(role), sql.Literal(verifier))
        run(conn, change)
    return role


def close_flow_role(flow: str, *, conn: Any = None) -> None:
    """Drop the role of a flow with its rights. Raises UnknownFlow."""
    value(conn, "select wedsql.close_flow_role(%s)", (flow,))
