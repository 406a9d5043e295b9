"""Tests of processes in BPMN."""
