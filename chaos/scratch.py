"""Databases with the kernel that are copied from a template, changed, and dropped."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from flows import kernel
from flows.tests import kernel_db

TEMPLATE = "mutate_kernel"


@contextmanager
def template(dsn: str) -> Iterator[None]:
    """Keep a template database with the kernel and the tests' clock while the block runs."""
    drop = f"drop database if exists {TEMPLATE}"
    with psycopg.connect(dsn, autocommit=True) as admin:
        admin.execute(drop)
        admin.execute(f"create database {TEMPLATE}")
        with psycopg.connect(make_conninfo(dsn, dbname=TEMPLATE)) as conn:
            conn.execute("set client_min_messages = warning")
            kernel.write(conn.cursor())
            conn.execute(kernel_db.FAKE_CLOCK.read_text(encoding="utf-8"))
        try:
            yield
        finally:
            admin.execute(drop)


@contextmanager
def scratch(dsn: str) -> Iterator[str]:
    """Return the URI of a copy of the template that is dropped afterwards."""
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
