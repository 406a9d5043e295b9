"""Composition root: settings, routing, embedded PostgreSQL, supervisor. Imports all, imported by none."""
