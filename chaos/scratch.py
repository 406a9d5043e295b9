"""Databases with the kernel that are copied from a template, changed, and dropped."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from flows import kernel

TEMPLATE = "mutate_kernel"


def make_template(admin: psycopg.Connection[Any], dsn: str) -> None:
    """A database with the kernel, from which the scratch databases are copied."""
    drop_template(admin)
    admin.execute(f"create database {TEMPLATE}")
    with psycopg.connect(make_conninfo(dsn, dbname=TEMPLATE)) as conn:
        conn.execute("set client_min_messages = warning")
        kernel.write(conn.cursor())


def drop_template(admin: psycopg.Connection[Any]) -> None:
    """Remove it."""
    admin.execute(f"drop database if exists {TEMPLATE}")


@contextmanager
def scratch(dsn: str) -> Iterator[str]:
    """The URI of a copy of the template that is dropped afterwards."""
    name = f"mutate_{threading.get_ident()}_{time.monotonic_ns()}"
    with psycopg.connect(dsn, autocommit=True) as admin:
        admin.execute(
            sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(TEMPLATE))
        )
        try:
            admin.execute(sql.SQL("grant create on database {} to wed_owner").format(sql.Identifier(name)))
            yield make_conninfo(dsn, dbname=name)
        finally:
            admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
