"""Measures other than throughput: latency, browsers, growth, triggers, footprint, pages."""
