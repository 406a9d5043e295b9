"""Drafts of definitions and their revisions, requests to publish, acknowledged findings, named objects."""
