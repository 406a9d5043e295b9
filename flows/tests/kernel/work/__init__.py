"""Tests of how jobs are fired, taken and completed."""
