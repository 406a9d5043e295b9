"""The pages and the endpoints of proposed repairs."""
