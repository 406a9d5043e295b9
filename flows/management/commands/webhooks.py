"""manage.py webhooks list|add|remove|test|resume: the webhooks of flows."""

from flows.capabilities.webhooks.command import Command

__all__ = ["Command"]
