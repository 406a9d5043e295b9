"""manage.py explain WID: says why an instance is where it is."""

from flows.capabilities.reasons.command import Command

__all__ = ["Command"]
