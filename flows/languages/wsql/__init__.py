"""WSQL: the language in which the authors of WED-SQL drafted definitions and operations of flows.

`parse` reads a text, `compile` makes a definition of its statements, `check` reports what the kernel rejects
at its place in the text, and `run` publishes it. docs/wsql.md describes the language.
"""

from flows.languages.wsql.errors import WsqlError
from flows.languages.wsql.parse import parse
from flows.languages.wsql.run import Outcome, Session, source

__all__ = ["Outcome", "Session", "WsqlError", "parse", "source"]
