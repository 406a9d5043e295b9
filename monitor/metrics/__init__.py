"""Metrics for a monitoring system."""
