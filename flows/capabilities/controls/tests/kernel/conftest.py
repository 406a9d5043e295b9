"""The fixtures of the kernel tests, and how they are run."""

from flows.tests.kernel.conftest import dsn, fig2, flow, flow_pool, kit, loaded, mode, pytest_generate_tests

__all__ = ["dsn", "fig2", "flow", "flow_pool", "kit", "loaded", "mode", "pytest_generate_tests"]
