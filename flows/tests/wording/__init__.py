"""Tests of messages, labels and their translations."""
