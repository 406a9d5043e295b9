"""The examples of the gallery; `workers.transitions` imports their handlers."""
