"""The pages; each module has one page and the parts of it that its script fetches."""
