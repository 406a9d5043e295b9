"""Children: instances that a job of another one starts, and whose ends complete it."""
