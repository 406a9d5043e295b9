"""Tests of what is done with the reaper and beside it."""
