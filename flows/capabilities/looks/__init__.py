"""Looks at masked values, each recorded before the values are answered, and what people changed."""
