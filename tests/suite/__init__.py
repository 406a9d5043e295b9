"""Runs the suite in parts: cut by recorded durations, several at a time, with a report (docs/testing.md)."""
