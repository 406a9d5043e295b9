"""The pages and the endpoint of moves."""
