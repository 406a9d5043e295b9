"""The fixtures of the kernel tests, and how they are run."""

from flows.tests.kernel.conftest import (
    base,
    dsn,
    flow,
    flow_pool,
    guarded,
    kit,
    mode,
    pytest_generate_tests,
)

__all__ = ["base", "dsn", "flow", "flow_pool", "guarded", "kit", "mode", "pytest_generate_tests"]
