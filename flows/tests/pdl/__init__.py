"""Tests of the process definition language."""
