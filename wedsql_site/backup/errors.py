"""Errors of backup and restore."""


class BackupError(RuntimeError):
    """The backup or restore failed; the message says why, and what to do."""
