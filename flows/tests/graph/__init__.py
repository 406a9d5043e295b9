"""Tests of processes as graphs."""
