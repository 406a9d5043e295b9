"""Tests of clocks, timers, the reaper and retention."""
