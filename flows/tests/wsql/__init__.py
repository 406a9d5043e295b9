"""Tests of WSQL."""
