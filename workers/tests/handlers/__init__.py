"""Handlers that the worker processes of tests perform."""
