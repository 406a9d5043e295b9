"""Tests of values of every type and size."""
