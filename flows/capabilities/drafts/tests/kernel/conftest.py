"""The fixtures of the kernel tests, and how they are run."""

from flows.tests.kernel.conftest import (
    base,
    dsn,
    flow,
    flow_pool,
    guarded,
    kit,
    mode,
)

__all__ = ["base", "dsn", "flow", "flow_pool", "guarded", "kit", "mode"]
