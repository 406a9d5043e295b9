"""Tests of the kernel with flows made of graphs, PDL and the patterns of the gallery."""
