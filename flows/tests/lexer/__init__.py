"""Tests of conditions: tokens, types, cost, renaming."""
