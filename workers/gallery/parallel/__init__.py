"""The gallery's example parallel."""
