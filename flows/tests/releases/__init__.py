"""Databases as earlier releases made them: one dump per release, and the program that makes them."""
