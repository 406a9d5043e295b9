"""Languages for processes; each is read, checked and translated to attributes and triggers of a flow."""
