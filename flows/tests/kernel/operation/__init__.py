"""Tests of what people do to instances, and of re-matches."""
