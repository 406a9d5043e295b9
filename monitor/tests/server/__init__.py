"""Tests of the pages of health, workers and locks."""
