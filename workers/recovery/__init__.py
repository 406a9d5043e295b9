"""What is known of worker processes that died, so that their jobs are counted and offered again."""
