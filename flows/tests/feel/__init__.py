"""Tests of FEEL, also against another program that evaluates it."""
