"""The live connections: notifications of the database become frames for the pages that show the change."""
