"""Texts for people: the welcome after the start, and the status of an installation."""

from __future__ import annotations

from typing import Any

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from flows import kernel
from wedsql_site import environment, logs, postgres
from wedsql_site.ondemand import uses_embedded
from wedsql_site.postgres.process import exists
from wedsql_site.supervisor import processes, programs
from wedsql_site.supervisor.demo_logins import DemoLogins
from wedsql_site.supervisor.preparation import Login
from wedsql_site.supervisor.record import Running


def welcome(where: programs.Address, login: Login, others: DemoLogins | None = None) -> str:
    """Return the welcome; in JSON format one line without the passwords."""
    if logs.chosen_format() == "json":
        return f"WED-SQL runs at {where.url}"
    return "\n".join(
        [
            "",
            f"  WED-SQL runs at  {where.url}",
            f"  log in as        {login.name}",
            f"  password         {_password(where, login)}",
            *_demo_lines(others),
            "",
            "  Look first at the list of flows: open 'Orders of a small shop' and watch its instances move.",
            "  A flow is defined under Design; figure 2 of the paper is the flow 'fig2'.",
            "  Logs: make logs     What runs: make status     Stop: Ctrl-C or make stop",
            "",
        ]
    )


def _demo_lines(others: DemoLogins | None) -> list[str]:
    if others is None or not others.names:
        return []
    return [f"  demo log-ins     {', '.join(others.names)}", f"  their password   {others.password}"]


def _password(where: programs.Address, login: Login) -> str:
    """Return the password only on a loopback address: elsewhere standard output may end in a log."""
    if login.password is None:
        return "(yours)"
    return login.password if where.private else f"in {environment.state_dir() / 'admin_password'}"


def status() -> dict[str, Any]:
    """Return everything that `wedsql status` shows, as plain data."""
    record = Running().read()
    return {
        "running": record is not None,
        "url": (record or {}).get("url"),
        "pid": (record or {}).get("pid"),
        "processes": [
            {**child, "alive": bool(child["pid"]) and exists(child["pid"])}
            for child in (record or {}).get("children", [])
        ],
        "left_behind": sorted(processes.members()) if record is None else [],
        "state_dir": str(environment.state_dir()),
        "database": _database(),
    }


def _database() -> dict[str, Any]:
    facts: dict[str, Any] = {"embedded": uses_embedded(), "answers": False}
    if facts["embedded"] and not postgres.is_running():
        return facts  # status must not start it
    try:
        with connection.cursor() as cursor:
            cursor.execute("select current_setting('server_version'), current_user, current_database()")
            version, user, name = cursor.fetchone()
        facts |= {"answers": True, "version": version, "user": user, "name": name}
        facts["pending_migrations"] = _pending_migrations()
        facts["kernel"] = kernel.status(connection).as_dict()
    except DatabaseError as error:
        facts["error"] = str(error).strip()
    finally:
        connection.close()
    return facts


def _pending_migrations() -> list[str]:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _backwards in plan]


def as_text(facts: dict[str, Any]) -> str:
    """Return the status as text."""
    lines = [f"installation  {facts['state_dir']}"]
    lines.append(
        f"running       {facts['url']} (pid {facts['pid']})" if facts["running"] else "running       no"
    )
    if facts["left_behind"]:
        pids = ", ".join(map(str, facts["left_behind"]))
        lines.append(f"left behind   processes {pids} of an earlier start (end them with: make stop)")
    for child in facts["processes"]:
        state = f"pid {child['pid']}" if child["alive"] else "down, about to start again"
        lines.append(f"  {child['name']:<12}{state}, restarted {child['restarts']} times")
    return "\n".join([*lines, *_database_lines(facts["database"])])


def _database_lines(database: dict[str, Any]) -> list[str]:
    kind = "embedded" if database["embedded"] else "DATABASE_URL"
    if not database["answers"]:
        return [f"database      {kind}, does not answer {database.get('error', '')}".rstrip()]
    lines = [f"database      {kind}, PostgreSQL {database['version']}, as {database['user']}"]
    if "error" in database:
        return [*lines, f"              {database['error']}"]
    pending = database["pending_migrations"]
    lines.append(f"migrations    {'to apply: ' + ', '.join(pending) if pending else 'all applied'}")
    state = database["kernel"]
    lines.append(f"kernel        {state['state']} {state['version']}".rstrip())
    return [*lines, *(f"              {problem}" for problem in state["problems"])]
