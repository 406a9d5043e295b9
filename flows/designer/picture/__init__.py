"""The picture of a flow, and diagrams of processes."""
