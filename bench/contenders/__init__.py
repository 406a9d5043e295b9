"""Who is measured: one module a contender."""
