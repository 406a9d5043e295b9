"""The page and the endpoints of signals."""
