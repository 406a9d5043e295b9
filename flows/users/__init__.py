"""Users: their groups, which of them exist, and what they write and see."""
