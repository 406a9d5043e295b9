"""The tab on which a definition is tried, and its scenarios."""
