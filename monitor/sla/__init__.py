"""The pages and the endpoints of SLAs."""
