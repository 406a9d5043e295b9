"""Conditions over any states: compiled, evaluated, explained; the problems of a definition."""
