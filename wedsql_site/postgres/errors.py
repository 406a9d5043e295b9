"""Errors of the launcher."""


class PostgresError(RuntimeError):
    """The embedded PostgreSQL cannot be used; the message says what to do."""
