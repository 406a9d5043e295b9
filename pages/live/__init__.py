"""The live line: from a notification of the database to a frame on each page that shows what changed."""
