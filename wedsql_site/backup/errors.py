"""What backup and restore raise."""


class BackupError(RuntimeError):
    """The backup or restore cannot be done; the text says why, and what to do about it."""
