"""The pages and the endpoint of webhooks."""
