"""The pages; each module is one of them with the parts that its script fetches again."""
