"""manage.py signal FLOW NAME key=... [attribute=value ...]: sends a signal, or lists those that were sent."""

from flows.capabilities.signals.command import Command

__all__ = ["Command"]
