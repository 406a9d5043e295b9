"""The pages and the endpoints of cases."""
