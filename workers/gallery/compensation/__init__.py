"""The gallery's example compensation."""
