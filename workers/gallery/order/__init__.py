"""The gallery's example order."""
