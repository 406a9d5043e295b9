"""End-to-end tests of the pages: a real server, a real browser."""
