"""manage.py tasks list|take|lock|start|complete|fail|release|give|aside: what people do with tasks."""

from flows.capabilities.tasks.command import Command

__all__ = ["Command"]
