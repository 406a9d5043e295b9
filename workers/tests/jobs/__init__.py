"""Tests of the jobs of a worker."""
