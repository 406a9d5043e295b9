"""Tests of the pages on which people operate instances."""
