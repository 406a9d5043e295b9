"""Database settings of a process: which database, which role, which limits."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from wedsql_site import capacity, environment, postgres

SCHEMA = "wedsql"
TEST_DATABASE = "test_wedsql"
# Seconds that a statement may run, and a transaction may be idle, by role; 0 is no limit.
_LIMITS = {"web": (5, 30), "worker": (30, 90), "reaper": (30, 30), "monitor": (5, 30), "admin": (0, 0)}
_LOCK_WAIT = {"admin": 15}
_CONNECT_SECONDS = 5


def url(role: str) -> str:
    """Return the connection URI of a role; raises BadEnvironment if only other roles have one."""
    given = environment.database_url(role)
    if given:
        return given
    user = postgres.SUPERUSER if role == "admin" else f"wed_{role}"
    return postgres.default_cluster().dsn(user=user)


def default(role: str) -> dict[str, Any]:
    """Return Django's DATABASES entry for a process of this role; raises BadEnvironment for a bad URI."""
    try:
        parameters: dict[str, Any] = {**conninfo_to_dict(url(role))}
    except psycopg.ProgrammingError:
        # The driver's message would quote parts of the URI, possibly a password.
        raise environment.BadEnvironment(f"the database URI of {role} cannot be read") from None
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parameters.pop("dbname", SCHEMA),
        "USER": parameters.pop("user", ""),
        "PASSWORD": parameters.pop("password", ""),
        "HOST": parameters.pop("host", ""),
        "PORT": parameters.pop("port", ""),
        "CONN_HEALTH_CHECKS": True,
        # A web process has many threads, each of which would keep a connection, so it uses a pool. A worker
        # has one thread, which would connect for each task, and a pool does not survive its forks.
        "CONN_MAX_AGE": 60 if role in {"worker", "reaper"} else 0,
        "OPTIONS": _options(role, parameters),
        "TEST": {"NAME": TEST_DATABASE},
    }


def _options(role: str, parameters: dict[str, Any]) -> dict[str, Any]:
    parameters.setdefault("connect_timeout", _CONNECT_SECONDS)
    parameters.setdefault("application_name", f"wedsql-{role}")
    # A dead peer is detected after about ten seconds instead of two hours.
    parameters |= {
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": 12000,
    }
    parameters["options"] = " ".join(filter(None, [session_options(role), parameters.get("options", "")]))
    if role == "web":
        parameters["pool"] = {
            "min_size": 1,
            "max_size": capacity.CONNECTIONS,
            "timeout": _CONNECT_SECONDS,
            # The default waits up to minutes between two attempts; the next request should try again.
            "reconnect_timeout": 1.0,
        }
    return parameters


def session_options(role: str) -> str:
    """Return the `options` of a session of this role: search path and time limits.

    The statements of the kernel are short: compiling them to machine code (`jit`) takes several times as
    long as running them.
    """
    statement, idle = _LIMITS[role]
    values = {
        "search_path": SCHEMA,
        "statement_timeout": f"{statement}s",
        "lock_timeout": f"{_LOCK_WAIT.get(role, 2)}s",
        "idle_in_transaction_session_timeout": f"{idle}s",
        "jit": "off",
    }
    return " ".join(f"-c {name}={value}" for name, value in values.items())
