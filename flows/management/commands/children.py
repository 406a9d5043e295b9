"""manage.py children WID: lists the children of an instance, by the job that started them."""

from flows.capabilities.children.command import Command

__all__ = ["Command"]
