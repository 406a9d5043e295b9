"""The workers' fast client of the kernel: prepared statements in a pipeline, results read as plain bytes."""
