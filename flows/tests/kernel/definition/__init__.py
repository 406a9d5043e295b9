"""Tests of definitions: publication, changes, names, checks."""
