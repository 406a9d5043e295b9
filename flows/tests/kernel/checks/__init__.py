"""Tests of the checks of definitions, and of conditions that cannot be computed."""
