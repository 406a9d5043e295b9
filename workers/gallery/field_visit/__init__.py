"""The gallery's example field_visit."""
