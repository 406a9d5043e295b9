"""The reaper: a separate Django-Q cluster, so that it runs even when all transition workers hang."""
