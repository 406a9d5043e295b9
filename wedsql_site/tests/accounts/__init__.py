"""Tests of log-in, the second factor and the pages of accounts."""
