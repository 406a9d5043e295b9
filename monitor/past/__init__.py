"""The pages of flows as they were at a moment, and the moment that an address names."""
