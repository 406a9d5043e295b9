"""The pages of the analysis, and the endpoint of figures."""
