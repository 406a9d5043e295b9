"""Queries of the history: one step, one instance, or every change in order."""
