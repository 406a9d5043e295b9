"""Integration of Django-Q2: its broker, its tasks, its settings, and patches of its faults."""
