"""How long jobs wait and run, in buckets: the bounds that workers, kernel and metrics share."""

from __future__ import annotations

# Upper bounds in seconds; one more bucket takes what is above. wedsql._time_bounds() says the same.
BOUNDS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 60.0, 300.0, 3600.0)
