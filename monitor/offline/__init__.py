"""Work without a connection: what devices are given, what they send, and the pages about both."""
