"""The limits of a round of the reaper; nothing of Django is imported with them."""

REAP_LIMIT = 200  # rows per kind of work
