"""The workers' fast client of the kernel: prepared statements in a pipeline, answers read as plain bytes."""
