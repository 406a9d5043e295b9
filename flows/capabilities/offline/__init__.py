"""Work without a connection: devices, what is transferred to them, and the results that they send."""
