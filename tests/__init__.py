"""Tests that involve several applications: browser, isolation, upgrade and chaos."""
