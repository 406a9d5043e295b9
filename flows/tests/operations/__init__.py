"""Tests of the migration operations and of packages of flows."""
