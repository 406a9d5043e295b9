"""Webhooks of flows: messages to other systems when an instance starts, ends or becomes an exception."""
