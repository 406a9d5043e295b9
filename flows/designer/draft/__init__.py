"""The draft of a flow: its content, its problems, and the changes that pages save."""
