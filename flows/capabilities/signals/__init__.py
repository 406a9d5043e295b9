"""Signals: events from outside that give a waiting instance a result, or start one."""
