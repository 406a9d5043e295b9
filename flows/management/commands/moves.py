"""manage.py moves: hands instances to other installations, and reads and writes the messages of moves."""

from flows.capabilities.moves.command import Command

__all__ = ["Command"]
