"""Tests of trials, scenarios and what-if."""
