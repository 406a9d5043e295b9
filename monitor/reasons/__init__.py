"""The page of reasons, and reasons as pages show them."""
