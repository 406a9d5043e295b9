"""The client in browsers: its first moments, its storage, other engines."""
