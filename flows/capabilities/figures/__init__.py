"""Figures: what happened in flows by minute, hour and day, and how long their transitions took."""
