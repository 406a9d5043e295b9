"""The gallery's example loop."""
