"""Faults that are written into the sources, each of which a test has to find."""
