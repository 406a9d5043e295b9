"""Filters: predicates in SQL over instances, and saved views."""
