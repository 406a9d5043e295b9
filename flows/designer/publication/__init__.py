"""The page on which a definition is published, and the versions that were."""
