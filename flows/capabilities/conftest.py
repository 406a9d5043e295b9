"""The fixtures of the kernel tests of all capabilities, and how they are run."""

from flows.tests.kernel.conftest import (
    dsn,
    fig2,
    flow,
    flow_pool,
    kit,
    loaded,
    mode,
    one,
    pytest_generate_tests,
    tree,
    web,
)

__all__ = [
    "dsn",
    "fig2",
    "flow",
    "flow_pool",
    "kit",
    "loaded",
    "mode",
    "one",
    "pytest_generate_tests",
    "tree",
    "web",
]
