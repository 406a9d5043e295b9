"""Tests of publishing a definition."""
