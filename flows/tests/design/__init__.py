"""Tests of the pages on which a definition is written."""
