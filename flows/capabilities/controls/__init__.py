"""Controls: changes of rules, webhooks, visibility, keys, users and rights, kept for auditors."""
