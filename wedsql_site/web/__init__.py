"""The web process: its limits, threads, middleware, static files and live frames."""
