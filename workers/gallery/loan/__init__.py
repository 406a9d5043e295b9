"""The gallery's example loan."""
