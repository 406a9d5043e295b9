"""Tests of the processes of workers."""
