"""The calls of the engine for Python; flows.api offers them by topic, beside those of the capabilities."""
