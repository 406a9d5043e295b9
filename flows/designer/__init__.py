"""The pages of a flow in the admin, where it is designed."""
