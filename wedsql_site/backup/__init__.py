"""Backup and restore of an installation's database, with the roles that its privileges name."""

from wedsql_site.backup.errors import BackupError
from wedsql_site.backup.restore import restore
from wedsql_site.backup.take import backup

__all__ = ["BackupError", "backup", "restore"]
