"""The gallery's example four_eyes."""
