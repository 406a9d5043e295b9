"""What a migration may say about flows, and the operation that installs the kernel itself."""

from flows.operations.install import InstallKernel

__all__ = ["InstallKernel"]
