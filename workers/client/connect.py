"""Opens the connections of workers from Django's settings, as plain psycopg connections of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg

# Keys of Django's own wrapper that mean nothing to psycopg.connect.
_DJANGO_ONLY = ("context", "cursor_factory", "pool", "server_side_binding", "assume_role", "isolation_level")


def opener(name: str) -> Callable[[], psycopg.Connection[Any]]:
    """A function that opens an autocommit connection to the default database under this application name."""
    from django.db import connection

    params = dict(connection.get_connection_params())
    for key in _DJANGO_ONLY:
        params.pop(key, None)
    # Statements are prepared by name where it pays (Wire); definitions change under the others.
    params |= {"autocommit": True, "prepare_threshold": None, "application_name": name[:63]}
    # The few prepared statements are the same for any values: planned once, not five times and more.
    # Times come as ISO texts, which workers.client.taken reads.
    # Without the check a killed worker's session keeps its job until the running query ends.
    own = "-c plan_cache_mode=force_generic_plan -c datestyle=ISO -c client_connection_check_interval=500"
    params["options"] = f"{params.get('options') or ''} {own}".strip()
    return lambda: psycopg.connect(**params)
