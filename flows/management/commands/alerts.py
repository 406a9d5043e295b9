"""manage.py alerts list|add|remove|acknowledge|silence|test: the rules of alerts."""

from flows.capabilities.alerts.command import Command

__all__ = ["Command"]
