"""Trials of a definition that is not published, and what publishing it would do."""
