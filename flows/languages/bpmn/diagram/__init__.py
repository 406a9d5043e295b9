"""The diagram of a process: its figures, and a layout where the file has none."""
