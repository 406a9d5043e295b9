"""The process of a file, or every reason why it cannot become a flow."""
