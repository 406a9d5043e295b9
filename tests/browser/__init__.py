"""Pages as people see them: a real server, a real browser."""
