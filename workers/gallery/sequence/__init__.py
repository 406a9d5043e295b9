"""The gallery's example sequence."""
