"""Tests of the pages of a definition in a browser."""
