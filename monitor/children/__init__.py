"""The page and the endpoints of children."""
