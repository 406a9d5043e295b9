"""Tests of the pages of the admin."""
