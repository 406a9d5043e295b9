"""manage.py workerkey create|rotate|revoke|list: keys with which workers log in."""

from flows.capabilities.keys.command import Command

__all__ = ["Command"]
