"""manage.py devices list|results|withdraw|lost|activate|skip: the devices that perform tasks offline."""

from flows.capabilities.offline.command import Command

__all__ = ["Command"]
