"""Recovery after the death of worker processes: their jobs are counted as attempts and offered again."""
