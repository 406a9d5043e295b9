"""Django-Q2 as a host of workers: its broker, its tasks, its settings and what has to be patched in it."""
