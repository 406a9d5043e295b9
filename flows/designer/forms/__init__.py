"""The tab of forms, and the form of a task as its page shows it."""
