"""Tests of files from which definitions are imported."""
