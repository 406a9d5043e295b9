"""Tests of the kernel with flows made of BPMN."""
