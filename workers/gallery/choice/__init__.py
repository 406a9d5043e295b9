"""The gallery's example choice."""
