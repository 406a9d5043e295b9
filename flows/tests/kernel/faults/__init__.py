"""Tests of locks, other sessions and a server with trouble."""
