"""Three demo flows: the paper's figure 2, a counter, and the orders of a small shop."""
