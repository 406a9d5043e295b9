"""The tabs and pages on which a definition is written."""
