"""What the launcher raises."""


class PostgresError(RuntimeError):
    """The embedded PostgreSQL cannot be used; the text says what to do about it."""
