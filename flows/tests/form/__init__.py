"""Tests of the forms of tasks."""
