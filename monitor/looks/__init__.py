"""The pages and the endpoints of looks at masked values, and the audit of a flow."""
