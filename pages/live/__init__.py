"""The live line: turns notifications of the database into frames for the pages that show what changed."""
