"""Read models for pages: plain frozen rows, every list cut by key, nothing written.

Every function takes what it needs and returns dataclasses; none knows about requests, users or templates.
"""
