"""Tests that need more than one application: browser, isolation, upgrade and chaos."""
