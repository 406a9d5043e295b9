"""The pages that take a process as a file or a text."""
