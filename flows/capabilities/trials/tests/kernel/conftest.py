"""The fixtures of the kernel tests, and how they are run."""

from flows.tests.kernel.conftest import (
    dsn,
    flow_pool,
    kit,
    mode,
)

__all__ = ["dsn", "flow_pool", "kit", "mode"]
