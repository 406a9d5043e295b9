"""Processes in BPMN beside another engine: python -m tests.lockstep FILE... walks through them in both."""
