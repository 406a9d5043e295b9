"""Held jobs: take them, run their handlers within their timeouts, commit the results."""
