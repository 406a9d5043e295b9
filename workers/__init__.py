"""Performers of transitions: `@transition` registers a function, and the runner calls it.

This module imports neither Django nor a driver, so a handler module stays cheap to import.
"""

from workers.context import Abort, Context, JobLost
from workers.registry import Changes, transition

__all__ = ["Abort", "Changes", "Context", "JobLost", "transition"]
