"""Measures of pages, by requests and in browsers."""
