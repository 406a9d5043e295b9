"""manage.py sla list|add|remove|calendars|calendar|remove_calendar: SLAs of flows and their calendars."""

from flows.capabilities.sla.command import Command

__all__ = ["Command"]
