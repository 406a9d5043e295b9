"""manage.py bulk [NUMBER [pause|resume|withdraw]]: lists operations on many instances, or controls one."""

from flows.capabilities.bulk.command import Command

__all__ = ["Command"]
