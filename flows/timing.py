"""The buckets for durations of jobs, shared by workers, kernel and metrics."""

from __future__ import annotations

# Upper bounds in seconds; a last bucket has no bound. Must equal wedsql._time_bounds().
BOUNDS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 60.0, 300.0, 3600.0)
