"""Opening plain psycopg connections for workers from Django's settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg

from BaseWorker.key import read_key

# Keys of Django's connection parameters that psycopg.connect does not accept.
_DJANGO_ONLY = ("context", "cursor_factory", "pool", "server_side_binding", "assume_role", "isolation_level")


def opener(name: str) -> Callable[[], psycopg.Connection[Any]]:
    """Return a function that opens an autocommit connection to the default database as this application."""
    from django.db import connection

    params = dict(connection.get_connection_params())
    for key in _DJANGO_ONLY:
        params.pop(key, None)
    # Wire prepares statements by name where it pays; psycopg prepares none, because definitions change.
    params |= {"autocommit": True, "prepare_threshold": None, "application_name": name[:63]}
    # The plans of the few prepared statements do not depend on the values: generic from the first call.
    # workers.client.claims reads times in ISO format.
    # Without client_connection_check_interval a killed worker's session keeps its job until its query ends.
    own = "-c plan_cache_mode=force_generic_plan -c datestyle=ISO -c client_connection_check_interval=500"
    params["options"] = f"{params.get('options') or ''} {own}".strip()
    return lambda: psycopg.connect(**params)


def worker_opener(name: str) -> Callable[[], psycopg.Connection[Any]]:
    """Return a function like that of `opener` whose connections are logged in with the key of the worker.

    Without a key they are not; flows that require one are then left out (workers.jobs.plans).
    """
    connect = opener(name)
    return lambda: _log_in(connect())


def _log_in(connection: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """Log in with the key, if there is one. Raises psycopg.Error."""
    try:
        key = read_key()
        if key:
            connection.execute("select wedsql.log_in_worker(%s)", [key])
    except (OSError, ValueError) as error:
        connection.close()
        raise psycopg.OperationalError(f"The worker key cannot be read: {error}") from error
    except psycopg.Error:
        connection.close()
        raise
    return connection
