"""Tests of filters and lists."""
