"""The pages of accounts: people and their rights, tokens, keys of workers."""
