"""Tasks: the lists of a person, and the page on which a task is performed."""
