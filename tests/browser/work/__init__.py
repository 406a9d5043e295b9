"""Tests of the pages of people at work in a browser."""
