"""Tasks: jobs that people perform, in lists of those who may."""
