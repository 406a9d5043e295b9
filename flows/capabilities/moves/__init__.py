"""Moves: instances that are handed to other installations and back."""
